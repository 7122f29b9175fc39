//! What fills the window, in finer kinds than the engine's: pinned messages, reasoning and images are kinds of their own.

use epitome::message::{Message, Part, Role};
use epitome::tokens::MeterTokens;
use epitome::{Action, Breakdown, Compactor, Plan};

use crate::number::count;

/// The tokens of each kind, in the provider's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fill {
    /// Everything that is of no other kind.
    pub(crate) rest: Breakdown,
    /// Messages that are pinned.
    pub(crate) pinned: u32,
    /// The reasoning of messages that are not pinned.
    pub(crate) reasoning: u32,
    /// The images of messages that are not pinned.
    pub(crate) images: u32,
}

/// The messages that are pinned, or have reasoning or images.
#[derive(Clone, Debug, Default)]
pub(crate) struct Apart {
    pinned: Vec<(Role, MeterTokens)>,
    /// The reasoning in others, by position.
    reasoning: Vec<(usize, Role, MeterTokens)>,
    /// The images in others, by position.
    images: Vec<(usize, Role, MeterTokens)>,
}

impl Apart {
    /// Those that the model gets. Linear in the conversation, and in the texts of messages with reasoning or images.
    pub(super) fn of(compactor: &Compactor) -> Self {
        let (conversation, log) = (compactor.conversation(), compactor.log());
        let projection = conversation.projection();
        let mut apart = Self::default();
        let is_apart = |message: &Message| {
            message.pinned || message.parts.iter().any(|part| is_reasoning(part) || is_image(part))
        };
        for (position, _) in log.messages().enumerate().filter(|(_, message)| is_apart(message)) {
            let Some(message) = projection.visible(log, position) else { continue };
            if message.role == Role::System || projection.is_compacted(position) {
                continue;
            }
            if message.pinned {
                apart.pinned.push((message.role, conversation.seen_tokens(position)));
                continue;
            }
            let taken_by = |kind: fn(&Part) -> bool| {
                let parts = message.parts.iter().filter(|part| !kind(part)).cloned().collect();
                let without = Message { parts, ..message.clone() };
                conversation.seen_tokens(position) - conversation.meter().measure(&without).tokens
            };
            let role = message.role;
            apart.reasoning.push((position, role, taken_by(is_reasoning)));
            apart.images.push((position, role, taken_by(is_image)));
        }
        apart
    }
}

impl Fill {
    /// What fills the window now.
    pub(super) fn now(compactor: &Compactor, apart: &Apart) -> Self {
        Self::of(compactor, compactor.pressure().breakdown, apart, |_| true)
    }

    /// What would fill it after a compaction that leaves this.
    pub(super) fn after(
        compactor: &Compactor,
        left: Breakdown,
        apart: &Apart,
        plan: &Plan,
    ) -> Self {
        Self::of(compactor, left, apart, |position| plan.action(position) == Action::Keep)
    }

    fn of(
        compactor: &Compactor,
        mut rest: Breakdown,
        apart: &Apart,
        stays: impl Fn(usize) -> bool,
    ) -> Self {
        let scale = compactor.scale();
        let mut fill = Self::default();
        for (role, tokens) in &apart.pinned {
            let part = part(&mut rest, *role);
            let tokens = scale.to_provider(*tokens).min(*part);
            *part -= tokens;
            fill.pinned += tokens;
        }
        let mut take = |tokens: &[(usize, Role, MeterTokens)]| {
            let mut taken = 0;
            for (_, role, tokens) in tokens.iter().filter(|(position, ..)| stays(*position)) {
                let part = part(&mut rest, *role);
                let tokens = scale.to_provider(*tokens).min(*part);
                *part -= tokens;
                taken += tokens;
            }
            taken
        };
        fill.reasoning = take(&apart.reasoning);
        fill.images = take(&apart.images);
        Self { rest, ..fill }
    }
}

/// The tokens of what the model gets if four characters were one token, as many apps count. Linear in the texts.
pub(crate) fn by_characters(compactor: &Compactor) -> u32 {
    let (log, projection) = (compactor.log(), compactor.conversation().projection());
    let text = |part: &Part| match part {
        Part::Text { text } | Part::Reasoning { text, .. } | Part::ToolResult { text, .. } => {
            text.chars().count()
        }
        Part::ToolCall { name, arguments, .. } => name.chars().count() + arguments.chars().count(),
        _ => 0,
    };
    let gone: Vec<usize> = projection.compacted().collect();
    let seen = (0..log.len()).filter(|position| gone.binary_search(position).is_err());
    let seen = seen.filter_map(|position| projection.visible(log, position));
    let characters: usize = seen.map(|message| message.parts.iter().map(text).sum::<usize>()).sum();
    let summary = projection.cover.as_ref().map_or(0, |cover| cover.summary.chars().count());
    count((characters + summary) / 4)
}

/// True for what a model has thought before it answered.
pub(crate) fn is_reasoning(part: &Part) -> bool {
    matches!(part, Part::Reasoning { .. })
}

/// True for a picture.
pub(crate) fn is_image(part: &Part) -> bool {
    matches!(part, Part::Image(_))
}

/// The part of a breakdown that messages of a role belong to.
pub(super) fn part(breakdown: &mut Breakdown, role: Role) -> &mut u32 {
    match role {
        Role::System => &mut breakdown.system,
        Role::User => &mut breakdown.user,
        Role::Assistant => &mut breakdown.assistant,
        Role::Tool => &mut breakdown.results,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::message::Media;
    use epitome::tokens::CharactersPer;
    use epitome::{Contract, Policy, Reason};

    #[test]
    fn characters_are_those_of_what_the_model_gets() {
        let policy = Policy::recommended(4_000);
        let tokenizer = Box::new(CharactersPer(4));
        let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
        compactor.append(Message::new("m0", Role::User, "四つの言語で数える".repeat(8))).unwrap();
        compactor.append(Message::new("m1", Role::Assistant, "Yes.".repeat(7))).unwrap();
        assert_eq!(by_characters(&compactor), (9 * 8 + 28) / 4);
    }

    #[test]
    fn pinned_messages_reasoning_and_images_are_taken_out_of_their_roles() {
        let policy = Policy::recommended(4_000);
        let tokenizer = Box::new(CharactersPer(4));
        let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
        let thought = Part::Reasoning { text: "thinking ".repeat(40), signature: None };
        let parts = vec![thought, Part::text("Done.")];
        let answer = Message { id: "m1".into(), ..Message::with_parts("", Role::Assistant, parts) };
        let asked = Message::new("m0", Role::User, "Please. ".repeat(20));
        let pinned =
            Message { pinned: true, ..Message::new("m2", Role::User, "Never. ".repeat(9)) };
        let image = Part::Image(Media { pixels: Some((1_024, 768)), ..Media::default() });
        let parts = vec![Part::text("And this?"), image];
        let shown = Message { id: "m3".into(), ..Message::with_parts("", Role::User, parts) };
        for message in [asked, answer, pinned, shown] {
            compactor.append(message).unwrap();
        }
        let all = compactor.pressure().breakdown;
        let fill = Fill::now(&compactor, &Apart::of(&compactor));
        assert_eq!(fill.rest.user + fill.pinned + fill.images, all.user);
        assert!(fill.images > 500, "{fill:?}");
        assert_eq!(fill.rest.assistant + fill.reasoning, all.assistant);
        assert!((80..100).contains(&fill.reasoning), "{fill:?}");
        assert!(fill.pinned > 10 && fill.rest.user > fill.pinned, "{fill:?}");

        let plan = compactor.plan(Reason::Manual);
        let after = Fill::after(&compactor, all, &Apart::of(&compactor), &plan);
        assert_eq!(after.pinned, fill.pinned);
    }
}
