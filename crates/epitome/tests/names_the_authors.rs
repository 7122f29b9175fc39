//! A summary of a conversation of several authors names one in each line.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]

use crate::harness;

use epitome::message::{Message, Role};
use epitome::policy::Keep;
use epitome::{Compactor, Policy, Reason};
use harness::{applied, compactor_with, drive, words};

/// A conversation in which each of these has said three long messages, and its summary.
fn summarized(authors: &[(Role, Option<&str>)], summary: &str) -> (String, Vec<String>) {
    let policy = Policy { keep: Keep::Messages(1), ..Policy::fill_percent(2_000) };
    let mut compactor: Compactor = compactor_with(policy, "");
    for turn in 0..3 {
        for (number, (role, author)) in authors.iter().enumerate() {
            let text = format!("The bridge number {number} needs stones. {}", words(60));
            let message = Message::new(format!("m{turn}-{number}"), *role, text);
            let author = author.map(str::to_owned);
            compactor.append(Message { author, ..message }).unwrap();
        }
    }
    let last = Message::new("last", Role::Assistant, "That is all.");
    compactor.append(Message { author: Some("ann".into()), ..last }).unwrap();
    compactor.compact(Reason::Manual, None).unwrap();
    drive(&mut compactor, |_| summary.into());
    let report = compactor.report().unwrap();
    assert!(applied(report), "{report:?}");
    (report.summary.clone().unwrap(), report.receipt.unattributed.clone())
}

const ANN: (Role, Option<&str>) = (Role::Assistant, Some("ann"));
const BEN: (Role, Option<&str>) = (Role::Assistant, Some("ben"));

#[test]
fn two_authors_are_named_and_one_is_not() {
    let line = "Nobody painted anything yellow.";
    assert_eq!(summarized(&[ANN], line).1, [""; 0]);
    assert_eq!(summarized(&[ANN, BEN], line).1, [line]);
}

#[test]
fn the_user_is_an_author_if_one_has_spoken_without_a_name() {
    let line = "The user wants all of it yellow.";
    assert_eq!(summarized(&[ANN, BEN, (Role::User, None)], line).1, [""; 0]);
    assert_eq!(summarized(&[ANN, BEN, (Role::User, Some("cleo"))], line).1, [line]);
    assert_eq!(summarized(&[ANN, BEN, (Role::Assistant, None)], line).1, [line]);
}
