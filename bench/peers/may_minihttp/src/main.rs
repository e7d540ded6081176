// may_minihttp with the routes of ../README.md; it has no router. Arguments: port, threads.
use bytes::BufMut;
use may_minihttp::{HttpServer, HttpService, Request, Response};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read};

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

#[derive(Deserialize)]
struct Order {
    name: String,
    value: u64,
}

#[derive(Serialize)]
struct Item {
    name: String,
    value: u64,
    double: u64,
}

#[derive(Serialize)]
struct Greeting {
    greeting: String,
    item: Item,
}

#[derive(Clone)]
struct Routes;

fn json(response: &mut Response, value: &impl Serialize) -> io::Result<()> {
    response.header("Content-Type: application/json");
    Ok(serde_json::to_writer(response.body_mut().writer(), value)?)
}

fn content(request: Request) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    request.body().read_to_end(&mut content)?;
    Ok(content)
}

fn json_post(request: Request, response: &mut Response) -> io::Result<()> {
    let Order { name, value } = serde_json::from_slice(&content(request)?)?;
    json(response, &Greeting { greeting: format!("Hello, {name}!"), item: Item { name, value, double: 2 * value } })
}

fn upload(request: Request, response: &mut Response) -> io::Result<()> {
    let mut body = request.body();
    let mut size = 0;
    loop {
        let piece = body.fill_buf()?.len();
        if piece == 0 {
            break;
        }
        body.consume(piece);
        size += piece;
    }
    response.header("Content-Type: text/plain").body_vec(size.to_string().into_bytes());
    Ok(())
}

impl HttpService for Routes {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        match (request.method(), request.path()) {
            ("GET", "/") => response.header("Content-Type: text/plain").body("Hello, World!"),
            ("GET", "/json") => return json(response, &Message { message: "Hello, World!" }),
            ("POST", "/json") => return json_post(request, response),
            ("POST", "/echo") => response.body_vec(content(request)?),
            ("POST", "/upload") => return upload(request, response),
            ("GET", path) if path.starts_with("/user/") => {
                let id = &path["/user/".len()..];
                response.header("Content-Type: text/plain").body_mut().put_slice(id.as_bytes());
            }
            _ => {
                response.status_code(404, "Not Found");
            }
        }
        Ok(())
    }
}

fn main() -> io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM])?;
    may::config().set_workers(numbers[1]);
    HttpServer(Routes).start(("127.0.0.1", numbers[0] as u16))?;
    signals.forever().next();
    std::process::exit(0);
}
