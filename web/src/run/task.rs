//! The tasks of a workflow: completing one, who summarizes it, and which are complete.

use leptos::prelude::*;

use crate::browser::focus;
use crate::driver;
use crate::language::t;
use crate::number::{count, plural, thousands};
use crate::store::{CompletedTask, Store, Transition};

/// The id of the field for the name.
const NAME: &str = "task-name";

/// The form that completes a task, closed at first, and what follows from the last one.
#[component]
pub(crate) fn CompleteTask(store: Store) -> impl IntoView {
    let name = RwSignal::new(String::new());
    let complete = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let typed = name.get_untracked().trim().to_owned();
        if typed.is_empty() {
            store.announce(t!("Name the task first."));
            focus(NAME);
        } else if let Some(obstacle) = store.obstacle() {
            store.announce(obstacle);
        } else {
            name.set(String::new());
            driver::complete_task(store, typed);
        }
    };
    view! {
        <TransitionNotice store />
        <details class="more task">
            <summary>{t!("Tasks of the workflow")} " " <span class="optional">{t!("(optional)")}</span></summary>
            <form class="task-form" on:submit=complete>
                <p class="hint" id="task-hint">
                    {t!("The next task starts from a summary of the completed one, and not from its messages.")}
                </p>
                <SharedBy store />
                <label for=NAME>{t!("Name of the task")}</label>
                <input
                    id=NAME
                    type="text"
                    autocomplete="off"
                    aria-describedby="task-hint"
                    prop:value=name
                    on:input=move |event| name.set(event_target_value(&event))
                />
                <button
                    type="submit"
                    class="button"
                    aria-disabled=move || store.is_locked().to_string()
                >
                    {t!("Complete the task")}
                </button>
            </form>
            <Completed store />
        </details>
    }
}

/// Says that the next compaction is the transition from a task.
#[component]
fn TransitionNotice(store: Store) -> impl IntoView {
    move || {
        let last = store.live.tasks.with(|tasks| tasks.last().cloned());
        let (last, transition) = last.zip(store.live.transition.get())?;
        let messages = plural(last.messages, "message", "messages");
        let then = match transition {
            Transition::Own => t!(
                "The next compaction is a task transition: it summarizes this task of {messages}.",
                messages
            ),
            Transition::Shared => t!(
                "The next compaction is a task transition: it summarizes this task of {messages}. Its summary is for all agents.",
                messages
            ),
        };
        Some(view! {
            <p class="notice transition">
                <strong>{t!("“{name}” is complete.", name = last.name)} " "</strong>
                {then}
            </p>
        })
    }
}

/// The choice of who writes the summary of a task, if there are agents.
#[component]
fn SharedBy(store: Store) -> impl IntoView {
    let names = Memo::new(move |_| {
        store.lanes.with(|lanes| lanes.iter().map(|lane| lane.name.clone()).collect::<Vec<_>>())
    });
    let chosen = move || {
        store.settings.policy.with(|policy| policy.tasks.shared_by.clone().unwrap_or_default())
    };
    let choose = move |event| {
        let name = Some(event_target_value(&event)).filter(|name| !name.is_empty());
        store.settings.form.update(|form| form.set_shared_by(name));
    };
    let options = move || {
        let option = |name: String| {
            let label = t!("{name}, for all", name);
            view! { <option value=name>{label}</option> }
        };
        names.get().into_iter().map(option).collect_view()
    };
    view! {
        <Show when=move || names.with(|names| !names.is_empty())>
            <div class="field">
                <label for="task-shared-by">{t!("Who summarizes it")}</label>
                <select id="task-shared-by" prop:value=chosen on:change=choose>
                    <option value="">{t!("Each agent, for itself")}</option>
                    {options}
                </select>
            </div>
        </Show>
    }
}

/// The completed tasks, if there are any.
#[component]
fn Completed(store: Store) -> impl IntoView {
    let any = Memo::new(move |_| store.live.tasks.with(|tasks| !tasks.is_empty()));
    let row = |task: CompletedTask| {
        let badge = task.is_summarized.then(|| {
            view! { <span class="badge" data-action="summarized">{t!("summarized")}</span> }
        });
        view! {
            <li>
                <span>{task.name}</span>
                <span class="figures">{plural(task.messages, "message", "messages")}</span>
                {badge}
            </li>
        }
    };
    let rows = move || store.live.tasks.get().into_iter().map(row).collect_view();
    view! {
        <Show when=move || any.get()>
            <h3 id="tasks-completed">
                {t!("Completed tasks")} " "
                <span class="count">{move || thousands(count(store.live.tasks.with(Vec::len)))}</span>
            </h3>
            <ul class="tasks" aria-labelledby="tasks-completed">{rows}</ul>
        </Show>
    }
}
