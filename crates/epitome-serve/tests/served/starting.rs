//! Starts that fail, and what they say.

use std::net::TcpListener;
use std::process::Command;

fn check(arguments: &[&str], expected: &str) {
    let program = env!("CARGO_BIN_EXE_epitome-serve");
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_taken_port_is_named_with_another_to_try() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    check(&["--port", &port.to_string()], &format!("port {port} cannot be used"));
    check(&["--port", &port.to_string()], "--port ");
}

#[test]
fn a_folder_without_a_page_is_named() {
    check(&["--port", "0", "--page", "nowhere"], "there is no nowhere/index.html");
}
