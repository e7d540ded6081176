// may_minihttp and PostgreSQL with the routes of bench/harness/postgres.py. Arguments: port, threads.
mod client;

use bytes::{BufMut, BytesMut};
use client::{Client, Connection};
use may_minihttp::{HttpService, HttpServiceFactory, Request, Response};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: i32 = 10_000;
const BATCH: usize = 20;
const STATEMENTS: [(&str, &str); 4] = [
    ("world", "select id, randomnumber from world where id = $1"),
    ("update", "update world set randomnumber = v.n from (select unnest($1::int[]) as i, unnest($2::int[]) as n) as v where world.id = v.i"),
    ("fortunes", "select id, message from fortune"),
    ("items", "select id, name, category, price, quantity, active, tags, rating_score, rating_count from items where price between $1 and $2 limit $3"),
];

#[derive(Serialize)]
struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

#[derive(Serialize)]
struct Rating {
    score: i32,
    count: i32,
}

#[derive(Serialize)]
struct Item<'a> {
    id: i32,
    name: &'a str,
    category: &'a str,
    price: i32,
    quantity: i32,
    active: bool,
    tags: &'a RawValue, // passed on
    rating: Rating,
}

#[derive(Serialize)]
struct Items<'a> {
    items: Vec<Item<'a>>,
    count: usize,
}

struct Routes {
    client: Client,
    random: SmallRng,
}

/// An array of int4 in PostgreSQL's binary form.
fn array(numbers: impl ExactSizeIterator<Item = i32>) -> Vec<u8> {
    let mut out = Vec::with_capacity(20 + 8 * numbers.len());
    for number in [1, 0, 23, numbers.len() as i32, 1] {
        out.put_i32(number);
    }
    for number in numbers {
        out.put_i32(4);
        out.put_i32(number);
    }
    out
}

fn json(response: &mut Response, value: &impl Serialize) -> io::Result<()> {
    response.header("Content-Type: application/json");
    Ok(serde_json::to_writer(response.body_mut().writer(), value)?)
}

fn escape(out: &mut BytesMut, text: &str) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for (at, c) in bytes.iter().enumerate() {
        let entity: &[u8] = match c {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\'' => b"&#39;",
            _ => continue,
        };
        out.extend_from_slice(&bytes[from..at]);
        out.extend_from_slice(entity);
        from = at + 1;
    }
    out.extend_from_slice(&bytes[from..]);
}

fn number<T: std::str::FromStr>(path: &str, name: &str, fallback: T) -> T {
    let query = path.split_once('?').map_or("", |parts| parts.1);
    let given = query.split('&').filter_map(|pair| pair.split_once('=')).find(|pair| pair.0 == name);
    given.and_then(|pair| pair.1.parse().ok()).unwrap_or(fallback)
}

impl Routes {
    fn random_id(&mut self) -> i32 {
        self.random.gen_range(1..=ROWS)
    }

    fn ask_world(&mut self) -> io::Result<()> {
        let id = self.random_id().to_be_bytes();
        self.client.ask("world", &[&id])
    }

    fn take_world(&self) -> io::Result<World> {
        let mut world = World { id: 0, random_number: 0 };
        self.client.answer()?.each(|mut row| {
            world = World { id: row.int(), random_number: row.int() };
            Ok(())
        })?;
        Ok(world)
    }

    fn worlds(&mut self) -> io::Result<Vec<World>> {
        for _ in 0..BATCH {
            self.ask_world()?;
        }
        (0..BATCH).map(|_| self.take_world()).collect()
    }

    fn update(&mut self) -> io::Result<Vec<World>> {
        let mut worlds = self.worlds()?;
        worlds.sort_unstable_by_key(|world| world.id);
        for world in &mut worlds {
            world.random_number = self.random_id();
        }
        let ids = array(worlds.iter().map(|world| world.id));
        let numbers = array(worlds.iter().map(|world| world.random_number));
        self.client.ask("update", &[&ids, &numbers])?;
        self.client.answer()?.skip()?;
        Ok(worlds)
    }

    fn fortunes(&self, response: &mut Response) -> io::Result<()> {
        self.client.ask("fortunes", &[])?;
        let rows = self.client.answer()?;
        let mut all: Vec<(i32, &str)> = Vec::with_capacity(256);
        rows.each(|mut row| {
            all.push((row.int(), row.text()?));
            Ok(())
        })?;
        all.push((0, "Additional fortune added at request time."));
        all.sort_unstable_by_key(|fortune| fortune.1);
        response.header("Content-Type: text/html; charset=utf-8");
        let out = response.body_mut();
        out.reserve(24 * 1024);
        out.extend_from_slice(b"<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>");
        for (id, message) in all {
            out.extend_from_slice(b"<tr><td>");
            serde_json::to_writer((&mut *out).writer(), &id)?;
            out.extend_from_slice(b"</td><td>");
            escape(out, message);
            out.extend_from_slice(b"</td></tr>");
        }
        out.extend_from_slice(b"</table></body></html>");
        Ok(())
    }

    fn items(&self, path: &str, response: &mut Response) -> io::Result<()> {
        let (min, max) = (number(path, "min", 10i32), number(path, "max", 50i32));
        let limit = number(path, "limit", 50i64).clamp(1, 50);
        self.client.ask("items", &[&min.to_be_bytes(), &max.to_be_bytes(), &limit.to_be_bytes()])?;
        let rows = self.client.answer()?;
        let mut items = Vec::with_capacity(50);
        rows.each(|mut row| {
            items.push(Item {
                id: row.int(),
                name: row.text()?,
                category: row.text()?,
                price: row.int(),
                quantity: row.int(),
                active: row.bool(),
                tags: serde_json::from_slice(&row.bytes()[1..])?, // behind the version of jsonb
                rating: Rating { score: row.int(), count: row.int() },
            });
            Ok(())
        })?;
        json(response, &Items { count: items.len(), items })
    }
}

impl HttpService for Routes {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        match request.path() {
            "/db" => {
                self.ask_world()?;
                json(response, &self.take_world()?)
            }
            "/queries" => json(response, &self.worlds()?),
            "/updates" => json(response, &self.update()?),
            "/fortunes" => self.fortunes(response),
            path if path.starts_with("/async-db") => self.items(path, response),
            _ => {
                response.status_code(404, "Not Found");
                Ok(())
            }
        }
    }
}

struct Server {
    connections: Vec<Connection>,
}

impl HttpServiceFactory for Server {
    type Service = Routes;

    fn new_service(&self, id: usize) -> Routes {
        Routes { client: self.connections[id % self.connections.len()].client(), random: SmallRng::from_entropy() }
    }
}

/// Of postgresql://user@address/database
fn connect(url: &str) -> io::Result<Connection> {
    let (user, rest) = url.trim_start_matches("postgresql://").split_once('@').expect("a user");
    let (address, database) = rest.split_once('/').expect("a database");
    Connection::open(address, user, database, &STATEMENTS)
}

fn main() -> io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM])?;
    may::config().set_workers(numbers[1]).set_pool_capacity(1000).set_stack_size(0x4000);
    let url = std::env::var("DATABASE_URL").expect("DATABASE_URL");
    let connections = (0..numbers[1])
        .map(|_| {
            let url = url.clone();
            may::go!(move || connect(&url)).join().expect("a connection")
        })
        .collect::<io::Result<Vec<_>>>()?;
    Server { connections }.start(("127.0.0.1", numbers[0] as u16))?;
    signals.forever().next();
    std::process::exit(0);
}
