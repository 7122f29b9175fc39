//! What a conversation still says after a compaction, measured without a judge, beside simple ways to shorten it.
//!
//! The arguments are the names of the parts to measure: `meetings`, `long`, `drift`, `constraints`, `live`, `recall`,
//! `standing`, `tools`, `sessions`, `chats`; none means all, and draws `bench/fidelity.svg`. `model COUNT` measures with a model behind an
//! endpoint on so many chats, and is in none of the others. `check` prints what the checker finds in the summaries of recorded
//! chats. `examples` writes the summaries of ten written conversations into `bench/examples`. `show FILE INDEX SHARE` prints one summary of a chat with
//! tools, and the identifiers that it lacks; `view INDEX SHARE` what `recommended` leaves of a meeting after one compaction,
//! and after many.

mod baselines;
mod chart;
mod checker;
mod constraints;
mod data;
mod engine;
mod evidence;
mod examples;
#[cfg(test)]
mod floors;
mod goals;
mod identifiers;
mod packages;
mod recall;
mod sessions;
mod standing;
mod table;
mod tokens;
mod words;

use std::num::NonZeroUsize;
use std::path::Path;

use chart::Chart;
use evidence::Meeting;
use goals::Chat;
use identifiers::Cut;
use packages::Packages;
use table::Table;

/// The shares of the contents that a result may have.
const BUDGETS: [(&str, f64); 4] = [("50 %", 0.5), ("25 %", 0.25), ("10 %", 0.1), ("5 %", 0.05)];

fn main() {
    if std::env::args().nth(1).is_some_and(|part| part == "examples") {
        examples::write();
        return;
    }
    let Some(folder) = data::folder() else {
        eprintln!("no recorded conversations; set EPITOME_DATA to a folder that has some");
        return;
    };
    let parts: Vec<String> = std::env::args().skip(1).collect();
    if parts.first().is_some_and(|part| part == "show") {
        let file = folder.join(&parts[1]);
        let chats = data::lines(&file);
        let cuts = Cut::of(data::messages(&chats[parts[2].parse::<usize>().expect("a number")]));
        for cut in cuts.iter().skip(1).take(1) {
            let share: f64 = parts[3].parse().expect("a share");
            let budget = (cut.tokens as f64 * share) as usize;
            let (before, tail) = cut.tail(budget / 2);
            let summary = engine::summary(before, budget - tokens::count(&tail));
            println!("{summary}\n==== missing {:?}", cut.missing(&tail, &summary));
        }
        return;
    }
    if parts.first().is_some_and(|part| part == "view") {
        let meetings = data::lines(&folder.join("retention/qmsum-product-meetings.jsonl.gz"));
        let meeting = Meeting::read(&meetings[parts[1].parse::<usize>().expect("a number")]);
        let share: f64 = parts[2].parse().expect("a share");
        let budget = (meeting.tokens as f64 * share) as usize;
        for view in
            [engine::once(&meeting.messages, budget), engine::live(&meeting.messages, budget)]
        {
            println!("{} of {budget} of {}\n{view}\n", tokens::count(&view), meeting.tokens);
        }
        return;
    }
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let meetings = |file: &str| -> Vec<Meeting> {
        data::lines(&folder.join("retention").join(file)).iter().map(Meeting::read).collect()
    };
    if parts.iter().any(|part| part == "check") {
        for fault in checker::recorded(&folder) {
            println!("{fault}");
        }
        return;
    }
    let packages = Packages::start();
    if parts.iter().any(|part| part == "model") {
        let chats = data::lines(&folder.join("openai/tool-chat-tau2-airline.jsonl.gz"));
        let count: Option<NonZeroUsize> =
            parts.get(1).map(|count| count.parse().expect("a number of chats, from 1"));
        let cuts = chats.iter().step_by(chats.len().div_ceil(count.unwrap_or(WITH_MODEL).get()));
        with_model(&packages, cuts.filter_map(|chat| Cut::of(data::messages(chat)).pop()));
        return;
    }
    let mut chart = Chart::default();
    if wanted("meetings") {
        alone(
            &packages,
            &mut chart,
            "meetings, extractive alone",
            &meetings("qmsum-product-meetings.jsonl.gz"),
        );
    }
    if wanted("long") {
        alone(
            &packages,
            &mut chart,
            "237,000 tokens, extractive alone",
            &meetings("qmsum-product-CONCAT-200k.jsonl.gz"),
        );
    }
    if wanted("drift") {
        drift(&meetings("qmsum-product-meetings.jsonl.gz"));
    }
    if wanted("constraints") {
        constraints::print(&folder, &packages);
    }
    if wanted("live") {
        recommended(&packages, &mut chart, &meetings("qmsum-product-meetings.jsonl.gz"));
    }
    if wanted("recall") {
        recall::chats(&data::lines(&folder.join("recall/locomo.jsonl.gz")));
        recall::meetings("meetings", &meetings("qmsum-product-meetings.jsonl.gz"));
        recall::meetings("237,000 tokens", &meetings("qmsum-product-CONCAT-200k.jsonl.gz"));
        let long = data::lines(&folder.join("openai/long-aider-1M.jsonl.gz"));
        recall::size(data::messages(&long[0]));
    }
    if wanted("standing") {
        standing::print(&folder);
    }
    if wanted("sessions") {
        sessions::print(&folder, parts.iter().any(|part| part == "whole"));
    }
    if wanted("chats") {
        chats(
            &packages,
            &mut chart,
            &data::lines(&folder.join("openai/multilingual.jsonl"))
                .iter()
                .map(Chat::read)
                .collect::<Vec<_>>(),
        );
    }
    if wanted("tools") {
        for (name, file) in [
            ("airline", "tool-chat-tau2-airline.jsonl.gz"),
            ("telecom", "tool-chat-tau2-telecom.jsonl.gz"),
        ] {
            let chats = data::lines(&folder.join("openai").join(file));
            let cuts: Vec<Vec<Cut>> =
                chats.iter().map(|chat| Cut::of(data::messages(chat))).collect();
            tools(&packages, &mut chart, name, &cuts);
        }
    }
    if parts.is_empty() {
        chart.write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fidelity.svg"));
    }
}

fn add(tables: &mut (Table, Table), method: &str, budget: &str, meeting: &Meeting, context: &str) {
    let score = meeting.score(context);
    tables.0.add(method, budget, score.ag);
    tables.1.add(method, budget, score.e);
}

/// Prints both tables, and adds them to the chart.
fn print((ag, e): (Table, Table), chart: &mut Chart, title: &str) {
    for (measure, table) in [("AG", ag), ("E", e)] {
        let title = format!("{measure}, {title}");
        table.print(&title, "cover");
        chart.add(&title, table);
    }
}

fn alone(packages: &Packages, chart: &mut Chart, title: &str, meetings: &[Meeting]) {
    let mut tables = (Table::default(), Table::default());
    for meeting in meetings {
        for (name, share) in BUDGETS {
            let budget = (meeting.tokens as f64 * share) as usize;
            let tables = &mut tables;
            add(tables, "tail", name, meeting, &baselines::tail(&meeting.texts, budget));
            let texts = &meeting.texts;
            add(tables, "random sentences", name, meeting, &baselines::random(texts, budget, 1));
            add(tables, "lead", name, meeting, &baselines::lead(texts, budget));
            add(tables, "head and tail", name, meeting, &baselines::head_and_tail(texts, budget));
            add(tables, "cover", name, meeting, &baselines::cover(texts, budget));
            for strategy in packages::WITHOUT_SUMMARIZER {
                let kept = packages.once(strategy, &meeting.messages, budget);
                add(tables, strategy, name, meeting, &kept);
            }
            add(tables, "epitome", name, meeting, &engine::alone(&meeting.messages, budget));
        }
    }
    print(tables, chart, title);
}

fn drift(meetings: &[Meeting]) {
    let mut tables = (Table::default(), Table::default());
    for meeting in meetings {
        for (name, share) in BUDGETS.into_iter().skip(1) {
            let budget = (meeting.tokens as f64 * share) as usize;
            for requests in [1, 3, 10, 30] {
                let summary = engine::folded(&meeting.messages, budget, requests);
                add(&mut tables, &format!("{requests} times"), name, meeting, &summary);
            }
        }
    }
    tables.0.print("AG, meetings, summarized again and again", "1 times");
}

fn recommended(packages: &Packages, chart: &mut Chart, meetings: &[Meeting]) {
    let mut tables = (Table::default(), Table::default());
    for meeting in meetings {
        for (name, share) in BUDGETS.into_iter().skip(1) {
            let budget = (meeting.tokens as f64 * share) as usize;
            let tables = &mut tables;
            add(tables, "cover", name, meeting, &baselines::cover(&meeting.texts, budget));
            let tail = baselines::tail(&meeting.texts, budget / 2);
            let half = format!("{}\n{tail}", baselines::cover(&meeting.texts, budget / 2));
            add(tables, "half tail, half cover", name, meeting, &half);
            for strategy in packages::WITH_SUMMARIZER {
                let messages = &meeting.messages;
                let once = packages.once(strategy, messages, budget);
                add(tables, &format!("{strategy}, once"), name, meeting, &once);
                let live = packages.live(strategy, messages, budget);
                add(tables, &format!("{strategy}, live"), name, meeting, &live);
            }
            add(
                tables,
                "recommended, once",
                name,
                meeting,
                &engine::once(&meeting.messages, budget),
            );
            add(
                tables,
                "recommended, live",
                name,
                meeting,
                &engine::live(&meeting.messages, budget),
            );
        }
    }
    print(tables, chart, "meetings, recommended");
}

fn chats(packages: &Packages, chart: &mut Chart, chats: &[Chat]) {
    for language in ["zh", "ja"] {
        let mut table = Table::default();
        for chat in chats.iter().filter(|chat| chat.language == language) {
            for (name, share) in BUDGETS {
                let budget = (chat.tokens as f64 * share) as usize;
                table.add("tail", name, vec![chat.score(&baselines::tail(&chat.texts, budget))]);
                table.add(
                    "random sentences",
                    name,
                    vec![chat.score(&baselines::random(&chat.texts, budget, 1))],
                );
                table.add("cover", name, vec![chat.score(&baselines::cover(&chat.texts, budget))]);
                let strategies = packages::WITHOUT_SUMMARIZER.into_iter();
                for strategy in strategies.chain(packages::WITH_SUMMARIZER) {
                    let kept = packages.once(strategy, &chat.messages, budget);
                    table.add(strategy, name, vec![chat.score(&kept)]);
                }
                table.add(
                    "epitome",
                    name,
                    vec![chat.score(&engine::alone(&chat.messages, budget))],
                );
            }
        }
        let title = format!("F_{language}");
        table.print(&title, "cover");
        chart.add(&title, table);
    }
}

/// How many chats a model summarizes if no number is given: each takes it minutes.
const WITH_MODEL: NonZeroUsize = NonZeroUsize::new(12).unwrap();

/// Prints what an agent needs later and still has if a model summarizes, beside the same without one.
fn with_model(packages: &Packages, cuts: impl Iterator<Item = Cut>) {
    let mut table = Table::default();
    for cut in cuts {
        let (name, share) = BUDGETS[2];
        let budget = (cut.tokens as f64 * share) as usize;
        let (before, tail) = cut.tail(budget / 2);
        let left = budget - tokens::count(&tail);
        let mut add = |method: &str, tail: &str, summary: &str, labelled: bool| {
            table.add(method, name, vec![cut.score(tail, summary, labelled)]);
        };
        add("half tail, extractive", &tail, &engine::summary(before, left), true);
        let summary = packages.once("epitome, model", before, left);
        add("half tail, a model", &tail, &summary, true);
        let kept = packages.once("LangChain, summarization, model", &cut.prefix, budget);
        add("LangChain, summarization, a model", &kept, "", false);
        eprintln!("{} tokens\n{summary}\n", cut.tokens);
    }
    table.print("I_need, airline, labelled", "half tail, extractive");
}

fn tools(packages: &Packages, chart: &mut Chart, name: &str, chats: &[Vec<Cut>]) {
    let mut table = Table::default();
    for cuts in chats {
        for (budget_name, share) in BUDGETS.into_iter().skip(2) {
            let mut add = |method: &str, score: &dyn Fn(&Cut, usize) -> f64| {
                let scores =
                    cuts.iter().map(|cut| score(cut, (cut.tokens as f64 * share) as usize));
                table.add(method, budget_name, scores.collect());
            };
            add("tail", &|cut, budget| cut.score(&cut.tail(budget).1, "", false));
            add("half tail, bare list", &|cut, budget| {
                cut.score(&cut.tail(budget / 2).1, &cut.bare_list(budget - budget / 2), false)
            });
            let strategies = packages::WITHOUT_SUMMARIZER.into_iter();
            let strategies = strategies.chain([packages::OF_TOOLS]);
            for strategy in strategies.chain(packages::WITH_SUMMARIZER) {
                add(strategy, &|cut, budget| {
                    cut.score(&packages.once(strategy, &cut.prefix, budget), "", false)
                });
            }
            let half = |cut: &Cut, budget: usize, labelled: bool| {
                let (before, tail) = cut.tail(budget / 2);
                let left = budget - tokens::count(&tail);
                cut.score(&tail, &engine::summary(before, left), labelled)
            };
            add("half tail, epitome", &|cut, budget| half(cut, budget, false));
            add("the same, labelled", &|cut, budget| half(cut, budget, true));
        }
    }
    let title = format!("I_need, {name}");
    table.print(&title, "half tail, bare list");
    chart.add(&title, table);
}
