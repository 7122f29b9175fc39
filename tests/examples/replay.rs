//! Makes calls of the engine that it reads as JSON, one conversation in a line, and writes what they return. A test in Node
//! makes the same calls of the package and compares.

use std::collections::BTreeSet;
use std::io::{BufRead, Write, stdin, stdout};
use std::mem;

use epitome::history::{Finding, View};
use epitome::message::{Message, MessageId, RequestId, UnixTime, Usage};
use epitome::{
    Action, Columns, Compactor, Failure, FailureKind, Output, Phase, Policy, Reason, Timestamp,
};
use epitome_formats::{Format, Outgoing, Recipe, Untouched, read_usage, step_id, steps_of};
use epitome_tokens::Encodings;
use serde::Deserialize;
use serde_json::{Value, json};

/// A conversation and the calls to make.
#[derive(Deserialize)]
struct Script {
    format: Format,
    policy: Policy,
    calls: Vec<Call>,
}

/// One call. The names are those of the package's compactor.
#[derive(Deserialize)]
#[serde(tag = "call", content = "with", rename_all = "camelCase")]
enum Call {
    Append(Vec<Value>),
    AppendPinned(Value),
    AppendAt(Value, u64),
    Edit(usize, Value),
    SetTodo(String),
    SetPolicy(Box<Policy>),
    Usage(Value),
    Check(Phase),
    Due(Phase),
    Compact(Reason),
    Undo,
    Status,
    Plan(Reason),
    Messages,
    Findings,
    Snapshot,
    Restore,
}

type Outcome = Result<Value, String>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in stdin().lock().lines() {
        let script: Script = serde_json::from_str(&line?)?;
        let mut app = App::new(script.format, script.policy)?;
        let mut results = Vec::new();
        for call in script.calls {
            let result = match app.make(call) {
                Ok(value) => json!({ "value": value }),
                Err(error) => json!({ "error": error }),
            };
            results.push(json!({ "result": result, "seen": mem::take(&mut app.seen) }));
        }
        writeln!(stdout(), "{}", Value::Array(results))?;
    }
    Ok(())
}

/// What the package does around the engine, in as few words as possible.
struct App {
    format: Format,
    compactor: Compactor,
    originals: Vec<Value>,
    untouched: Untouched,
    malformed: BTreeSet<MessageId>,
    plans: Columns,
    /// How often the summarizer was asked.
    asked: usize,
    /// Events and requests to the summarizer since the last call.
    seen: Vec<Value>,
}

impl App {
    fn new(format: Format, policy: Policy) -> Result<Self, String> {
        let tokenizer = Encodings::default()
            .tokenizer(&policy.counting, policy.family(format.family()))
            .map_err(text)?;
        let compactor = Compactor::new(policy, format, tokenizer).map_err(text)?;
        let (originals, untouched, malformed, plans) = Default::default();
        Ok(Self {
            format,
            compactor,
            originals,
            untouched,
            malformed,
            plans,
            asked: 0,
            seen: Vec::new(),
        })
    }

    fn make(&mut self, call: Call) -> Outcome {
        match call {
            Call::Append(messages) => self.append(messages, |step| step),
            Call::AppendPinned(message) => {
                self.append(vec![message], |step| Message { pinned: true, ..step })
            }
            Call::AppendAt(message, time) => {
                let time = Some(UnixTime(time));
                self.append(vec![message], |step| Message { time, ..step })
            }
            Call::Edit(index, message) => {
                self.edit(index, message)?;
                self.settle()
            }
            Call::SetTodo(todo) => written(self.compactor.set_todo(todo).map_err(text)?),
            Call::SetPolicy(policy) => written(self.compactor.set_policy(*policy).map_err(text)?),
            Call::Usage(usage) => {
                if let Some(usage) = read_usage(&usage) {
                    let epoch = Some(self.compactor.epoch());
                    self.compactor.handle_usage(Usage { epoch, ..usage });
                }
                self.settle()
            }
            Call::Check(phase) => {
                let due = written(self.compactor.check(phase))?;
                self.settle()?;
                Ok(due)
            }
            Call::Due(phase) => written(self.compactor.due(phase)),
            Call::Compact(reason) => {
                self.compactor.compact(reason, None).map_err(text)?;
                self.settle()
            }
            Call::Undo => {
                self.compactor.undo().map_err(text)?;
                self.settle()
            }
            Call::Status => {
                let mut status = written(self.compactor.pressure())?;
                let statistics = self.compactor.conversation().statistics();
                if let Value::Object(fields) = &mut status {
                    fields.insert("statistics".into(), written(statistics)?);
                }
                Ok(status)
            }
            Call::Plan(reason) => self.plan(reason),
            Call::Messages => Ok(self.messages().into()),
            Call::Findings => written(self.findings()),
            Call::Snapshot => written(self.compactor.snapshot().to_json_lines().map_err(text)?),
            Call::Restore => {
                let stored = self.compactor.snapshot().to_json_lines().map_err(text)?;
                let snapshot = epitome::Snapshot::from_json_lines(&stored).map_err(text)?;
                let policy = self.compactor.policy();
                let family = policy.family(self.format.family());
                let tokenizer = Encodings::default().tokenizer(&policy.counting, family);
                self.compactor =
                    Compactor::restore(snapshot, self.format, tokenizer.map_err(text)?)
                        .map_err(text)?;
                (self.untouched, self.plans) = Default::default();
                Ok(Value::Null)
            }
        }
    }

    /// The steps of a message, and whether it has another form than that of its format.
    fn read(&self, index: usize, message: &Value) -> Result<(Vec<Message>, bool), String> {
        let reading = self.format.read(&id_of(index), message).map_err(text)?;
        let malformed = self.format.is_malformed(message, &reading);
        Ok((reading.messages, malformed))
    }

    /// Appends all messages or none.
    fn append(&mut self, messages: Vec<Value>, with: impl Fn(Message) -> Message) -> Outcome {
        let first = self.originals.len();
        let read = messages.iter().enumerate().map(|(at, message)| {
            self.read(first + at, message).map_err(|error| format!("messages[{at}]: {error}"))
        });
        let read: Vec<_> = read.collect::<Result<_, _>>()?;
        for (at, (steps, malformed)) in read.into_iter().enumerate() {
            self.malformed.extend(malformed.then(|| id_of(first + at)));
            for step in steps {
                self.compactor.append(with(step)).map_err(text)?;
            }
        }
        self.originals.extend(messages);
        written((first..self.originals.len()).map(id_of).collect::<Vec<_>>())
    }

    /// Replaces a message, which keeps its metadata: as many steps as it has now, in the place of those that it had.
    fn edit(&mut self, index: usize, message: Value) -> Result<(), String> {
        let id = id_of(index);
        let read = self.read(index, &message).map_err(|error| format!("message: {error}"));
        let (steps, malformed) = read?;
        let earlier: Vec<Message> = steps_of(self.compactor.log(), &id).cloned().collect();
        let count = steps.len();
        for (number, step) in steps.into_iter().enumerate() {
            let before = earlier.get(number).or(earlier.first());
            let step = match before {
                Some(Message { author, time, pinned, .. }) => {
                    let author = step.author.clone().or_else(|| author.clone());
                    Message { author, time: *time, pinned: *pinned, ..step }
                }
                None => step,
            };
            if number < earlier.len() {
                self.compactor.edit(step).map_err(text)?;
                continue;
            }
            let log = self.compactor.log();
            let last = number.checked_sub(1).and_then(|last| log.position(&step_id(&id, last)));
            let next = last.and_then(|last| log.message(last + 1)).map(|next| next.id.clone());
            match next {
                Some(next) => {
                    self.plans = Columns::default();
                    self.compactor.insert(step, next).map_err(text)?;
                }
                None => self.compactor.append(step).map_err(text)?,
            }
        }
        for step in earlier.iter().skip(count.max(1)) {
            self.plans = Columns::default();
            self.compactor.remove(step.id.clone()).map_err(text)?;
        }
        self.malformed.remove(&id);
        self.malformed.extend(malformed.then_some(id));
        if let Some(original) = self.originals.get_mut(index) {
            *original = message;
        }
        Ok(())
    }

    /// Does what the engine asks for.
    fn settle(&mut self) -> Outcome {
        loop {
            match self.compactor.poll_output() {
                Output::Before(_) => self.compactor.proceed().map_err(text)?,
                Output::Summarize(mut request) => {
                    let messages = request.messages.take().map(|view| self.composed(&view));
                    self.seen.push(json!({ "request": written(&request)?, "messages": messages }));
                    self.answer(request.id);
                }
                Output::Persist(_) => self.compactor.handle_persisted().map_err(text)?,
                Output::Event(event) => self.seen.push(json!({ "event": written(&event)? })),
                Output::Save(_) | Output::Changed | Output::Continue => {}
                Output::Wait(_) => return Ok(Value::Null),
            }
        }
    }

    /// Answers, except every fifth time.
    fn answer(&mut self, request: RequestId) {
        self.asked += 1;
        if self.asked.is_multiple_of(5) {
            let failure = Failure { kind: FailureKind::Permanent, message: "no".into() };
            self.compactor.handle_failure(request, failure, Timestamp(0));
        } else {
            let summary = format!("They planned step {} of the way to Görlitz.", self.asked);
            self.compactor.handle_summary(request, &summary);
        }
    }

    fn plan(&mut self, reason: Reason) -> Outcome {
        let plan = self.compactor.plan(reason);
        self.plans.update(&plan, self.compactor.conversation(), &self.compactor.scale());
        let count = plan.actions.len();
        let numbers = self.plans.numbers();
        let steps = self.compactor.log().messages().map(|message| message.id.as_str());
        let column = |column: usize, row: usize| numbers.get(column * count + row).copied();
        let rows = steps.enumerate().map(|(row, id)| {
            let action = column(0, row).and_then(|number| Action::ALL.get(number as usize));
            let action = action.map(|action| action.as_str());
            json!({ "id": id, "action": action, "tokensBefore": column(1, row), "tokensAfter": column(2, row) })
        });
        let mut figures = json!({
            "reason": plan.reason,
            "summarizes": plan.summarizes,
            "summarized": plan.summarized(),
            "reduced": plan.reduced(),
            "tokensBefore": plan.tokens_before,
            "tokensAfter": plan.tokens_after,
            "summaryTokens": plan.summary_tokens,
            "ledgerTokens": plan.ledger_tokens,
            "requests": plan.requests,
            "actions": rows.collect::<Vec<_>>(),
        });
        if let Value::Object(fields) = &mut figures {
            let texts = [("idle", &plan.idle), ("floor", &plan.floor)];
            let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
            fields.extend(texts.map(|(name, text)| (name.to_owned(), text.as_str().into())));
        }
        Ok(figures)
    }

    fn messages(&mut self) -> Vec<Value> {
        let log = self.compactor.log();
        let is_compacted = self.compactor.conversation().projection().checkpoints > 0;
        let untouched = self.malformed.is_empty() && self.untouched.is_accepted(self.format, log);
        if !is_compacted && untouched {
            return self.originals.clone();
        }
        self.composed(&self.compactor.view())
    }

    fn composed(&self, view: &View) -> Vec<Value> {
        let log = self.compactor.log();
        let original = |id: &MessageId| {
            let index = id.as_str().strip_prefix('m')?.parse::<usize>().ok();
            self.originals.get(index?)
        };
        let outgoing = self.format.compose(log, view).into_iter();
        let messages = outgoing.map(|outgoing| {
            let recipe = match outgoing {
                Outgoing::Keep(id) => match self.malformed.contains(&id) {
                    true => Recipe::whole(log, &id),
                    false => return original(&id).cloned().unwrap_or_default(),
                },
                Outgoing::Composed(recipe) => recipe,
            };
            let mut value = recipe.compose(self.format, original);
            if recipe.sources().any(|source| self.malformed.contains(source)) {
                self.format.normalize(&mut value);
            }
            value
        });
        messages.collect()
    }

    /// Those of the engine. The package adds what only a format sees.
    fn findings(&self) -> Vec<Finding> {
        self.compactor.view().findings
    }
}

fn id_of(index: usize) -> MessageId {
    MessageId::from(format!("m{index}"))
}

fn written<T: serde::Serialize>(value: T) -> Outcome {
    serde_json::to_value(value).map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
