//! Serving pages and their files.

use std::fs;
use std::path::PathBuf;

use crate::server::{Server, header};

/// A folder with a page and a wasm module.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("index.html"), format!("<title>{name}</title>")).unwrap();
    fs::write(folder.join("module.wasm"), b"\0asm").unwrap();
    folder
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
