//! Serving pages and their files.

use std::fs;
use std::path::PathBuf;

use crate::server::{Server, agent, header};

/// A folder with a page and a wasm module.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("index.html"), format!("<title>{name}</title>")).unwrap();
    fs::write(folder.join("module.wasm"), b"\0asm").unwrap();
    folder
}

#[test]
fn a_compressed_copy_is_sent_to_clients_that_read_it() {
    let page = folder("compressed");
    fs::write(page.join("module.wasm.br"), b"compressed").unwrap();
    let server = Server::start(&["--page", page.to_str().unwrap()]);
    let ask = |accepted: &str| {
        let request = agent().get(server.url("/module.wasm")).header("accept-encoding", accepted);
        request.call().unwrap()
    };
    let copy = ask("br");
    assert_eq!(header(&copy, "content-type"), Some("application/wasm"));
    assert_eq!(header(&copy, "content-encoding"), Some("br"));
    assert_eq!(header(&copy, "content-length"), Some("10"));
    let whole = ask("identity");
    assert_eq!(header(&whole, "content-encoding"), None);
    assert_eq!(header(&whole, "content-length"), Some("4"));
}

#[test]
fn the_page_is_at_the_root_and_the_chat_app_below_chat() {
    let [page, chat] = [folder("page"), folder("chat")];
    let server =
        Server::start(&["--page", page.to_str().unwrap(), "--chat", chat.to_str().unwrap()]);
    for (path, title) in [("/", "page"), ("/index.html", "page"), ("/chat/", "chat")] {
        let mut response = server.get(path);
        assert_eq!(header(&response, "content-type"), Some("text/html"), "{path}");
        assert_eq!(header(&response, "cache-control"), Some("no-cache"), "{path}");
        let policy = header(&response, "content-security-policy").unwrap_or_default();
        assert!(policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "));
        let text = response.body_mut().read_to_string().unwrap();
        assert_eq!(text, format!("<title>{title}</title>"), "{path}");
    }
    let redirect = server.get("/chat");
    assert_eq!(header(&redirect, "location"), Some("/chat/"));
    for path in ["/module.wasm", "/chat/module.wasm"] {
        let module = server.get(path);
        assert_eq!(header(&module, "content-type"), Some("application/wasm"), "{path}");
    }
    assert_eq!(server.get("/missing").status(), 404);
    assert_eq!(server.get("/../Cargo.toml").status(), 404);
}

#[test]
fn files_that_are_named_after_their_content_are_kept_by_the_browser() {
    let page = folder("hashed");
    fs::create_dir_all(page.join("assets")).unwrap();
    fs::write(page.join("assets/page-Dc6PM9xO.wasm"), b"\0asm").unwrap();
    let folder = page.to_str().unwrap();
    let server = Server::start(&["--page", folder, "--chat", folder]);
    for (path, caching) in [
        ("/assets/page-Dc6PM9xO.wasm", "public, max-age=31536000, immutable"),
        ("/chat/assets/page-Dc6PM9xO.wasm", "public, max-age=31536000, immutable"),
        ("/assets/page-older.wasm", "no-cache"),
        ("/module.wasm", "no-cache"),
    ] {
        assert_eq!(header(&server.get(path), "cache-control"), Some(caching), "{path}");
    }
}
