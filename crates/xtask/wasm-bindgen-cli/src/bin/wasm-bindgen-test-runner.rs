//! `wasm-bindgen-test-runner`: runs compiled wasm tests in Node or in a browser.

fn main() -> std::process::ExitCode {
    match wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            std::process::ExitCode::FAILURE
        }
    }
}
