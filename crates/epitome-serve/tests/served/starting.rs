//! Error messages if the server cannot start.

use std::net::TcpListener;
use std::process::Command;

fn check(arguments: &[&str], expected: &str) {
    let program = env!("CARGO_BIN_EXE_epitome-serve");
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(!output.status.success());
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains(expected), "{printed}");
}

#[test]
fn the_error_for_a_taken_port_suggests_another() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    check(&["--port", &port.to_string()], &format!("port {port} cannot be used"));
    check(&["--port", &port.to_string()], "--port ");
}

#[test]
fn the_error_for_a_folder_without_a_page_names_it() {
    check(&["--port", "0", "--page", "nowhere"], "there is no nowhere/index.html");
}
