//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::security;

/// What `--help` prints.
pub(crate) const USAGE: &str = "\
usage: epitome-serve [options]

  --port <n>          port on 127.0.0.1; 0 takes a free one (8080)
  --page <folder>     folder to serve at /
  --chat <folder>     folder to serve at /chat/
  --endpoint <origin> an origin that the pages may connect to, besides this server; can be repeated
                      (without it: any https server, and this device)
  --delay-ms <n>      wait before each delta of a streamed answer (0)
  --help              print this text";

/// The parsed command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Port on 127.0.0.1; 0 takes a free one.
    pub(crate) port: u16,
    /// The folder to serve at `/`, if any.
    pub(crate) page: Option<PathBuf>,
    /// The folder to serve at `/chat/`, if any.
    pub(crate) chat: Option<PathBuf>,
    /// The origins that the pages may connect to; empty if they may connect to any.
    pub(crate) endpoints: Vec<String>,
    /// The wait before each delta of a streamed answer.
    pub(crate) delay: Duration,
}

impl Options {
    /// Parses the arguments after the program's name. `None` means that the user asks for the usage text.
    pub(crate) fn parse(
        arguments: impl IntoIterator<Item = String>,
    ) -> Result<Option<Self>, String> {
        let mut options = Self {
            port: 8080,
            page: None,
            chat: None,
            endpoints: Vec::new(),
            delay: Duration::ZERO,
        };
        let mut arguments = arguments.into_iter();
        while let Some(option) = arguments.next() {
            if option == "--help" || option == "-h" {
                return Ok(None);
            }
            let mut value = || arguments.next().ok_or_else(|| format!("{option} needs a value"));
            match option.as_str() {
                "--port" => options.port = number(&option, &value()?)?,
                "--page" => options.page = Some(value()?.into()),
                "--chat" => options.chat = Some(value()?.into()),
                "--endpoint" => options.endpoints.push(security::endpoint(value()?)?),
                "--delay-ms" => {
                    options.delay =
                        Duration::from_millis(number::<u32>(&option, &value()?)?.into());
                }
                _ => return Err(format!("there is no option `{option}`")),
            }
        }
        Ok(Some(options))
    }
}

fn number<N: std::str::FromStr>(option: &str, value: &str) -> Result<N, String> {
    value.parse().map_err(|_| format!("{option} does not take `{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<Option<Options>, &str>) {
        let found = Options::parse(line.split_whitespace().map(str::to_owned));
        assert_eq!(found, expected.map_err(str::to_owned), "{line}");
    }

    #[test]
    fn every_option_has_a_default() {
        let mut options = Options {
            port: 8080,
            page: None,
            chat: None,
            endpoints: Vec::new(),
            delay: Duration::ZERO,
        };
        check("", Ok(Some(options)));
        options = Options {
            port: 0,
            page: Some("dist".into()),
            chat: Some("www/dist".into()),
            endpoints: vec!["https://api.example.com".to_owned(), "http://127.0.0.1:1".to_owned()],
            delay: Duration::from_millis(20),
        };
        check(
            "--port 0 --page dist --chat www/dist --delay-ms 20 --endpoint https://api.example.com \
             --endpoint http://127.0.0.1:1",
            Ok(Some(options)),
        );
        check("--port 1 --help", Ok(None));
    }

    #[test]
    fn an_error_names_the_wrong_option() {
        check("--prot 1", Err("there is no option `--prot`"));
        check("--port", Err("--port needs a value"));
        check("--port 70000", Err("--port does not take `70000`"));
        check("--delay-ms soon", Err("--delay-ms does not take `soon`"));
    }
}
