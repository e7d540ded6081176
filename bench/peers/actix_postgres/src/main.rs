// actix-http and tokio-postgres with the routes of bench/harness/postgres.py. Arguments: port, threads.
use actix_http::header::{CONTENT_TYPE, HeaderValue};
use actix_http::{Error, HttpService, KeepAlive, Request, Response, StatusCode};
use bytes::Bytes;
use futures_util::future::{FutureExt, LocalBoxFuture};
use futures_util::stream::{FuturesUnordered, TryStreamExt};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::Serialize;
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;
use tokio_postgres::types::{Json, ToSql};
use tokio_postgres::{Client, NoTls, Row, Statement};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: i32 = 10_000;
const BATCH: usize = 20;
const NONE: [&(dyn ToSql + Sync); 0] = [];

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

struct Database {
    client: Client,
    world: Statement,
    update: Statement,
    fortunes: Statement,
    items: Statement,
    random: RefCell<SmallRng>,
}

impl Database {
    async fn connect() -> Database {
        let url = std::env::var("DATABASE_URL").unwrap();
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        actix_rt::spawn(connection.map(|_| ()));
        Database {
            world: client.prepare("select id, randomnumber from world where id = $1").await.unwrap(),
            update: client
                .prepare("update world set randomnumber = v.n from (select unnest($1::int[]) as i, unnest($2::int[]) as n) as v where world.id = v.i")
                .await
                .unwrap(),
            fortunes: client.prepare("select id, message from fortune").await.unwrap(),
            items: client
                .prepare("select id, name, category, price, quantity, active, tags, rating_score, rating_count from items where price between $1 and $2 limit $3")
                .await
                .unwrap(),
            client,
            random: RefCell::new(SmallRng::from_entropy()),
        }
    }

    fn random_id(&self) -> i32 {
        self.random.borrow_mut().gen_range(1..=ROWS)
    }

    async fn read(&self) -> Result<World, tokio_postgres::Error> {
        let id = self.random_id();
        let row = self.client.query_one(&self.world, &[&id]).await?;
        Ok(World { id: row.get(0), random_number: row.get(1) })
    }

    fn read_all(&self) -> impl Future<Output = Result<Vec<World>, tokio_postgres::Error>> {
        (0..BATCH).map(|_| self.read()).collect::<FuturesUnordered<_>>().try_collect()
    }

    async fn update(&self) -> Result<Vec<World>, tokio_postgres::Error> {
        let mut worlds = self.read_all().await?;
        worlds.sort_unstable_by_key(|world| world.id);
        for world in &mut worlds {
            world.random_number = self.random_id();
        }
        let ids: Vec<i32> = worlds.iter().map(|world| world.id).collect();
        let numbers: Vec<i32> = worlds.iter().map(|world| world.random_number).collect();
        self.client.execute(&self.update, &[&ids, &numbers]).await?;
        Ok(worlds)
    }

    async fn rows(&self, statement: &Statement, parameters: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, tokio_postgres::Error> {
        self.client.query(statement, parameters).await
    }
}

fn escape(out: &mut Vec<u8>, text: &str) {
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

fn page(rows: &[Row]) -> Bytes {
    let mut all: Vec<(i32, &str)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    all.push((0, "Additional fortune added at request time."));
    all.sort_unstable_by_key(|fortune| fortune.1);
    let mut out = Vec::with_capacity(24 * 1024);
    out.extend_from_slice(b"<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>");
    for (id, message) in all {
        out.extend_from_slice(b"<tr><td>");
        serde_json::to_writer(&mut out, &id).unwrap();
        out.extend_from_slice(b"</td><td>");
        escape(&mut out, message);
        out.extend_from_slice(b"</td></tr>");
    }
    out.extend_from_slice(b"</table></body></html>");
    out.into()
}

fn items(rows: &[Row]) -> Bytes {
    let items: Vec<Item> = rows
        .iter()
        .map(|row| Item {
            id: row.get(0),
            name: row.get(1),
            category: row.get(2),
            price: row.get(3),
            quantity: row.get(4),
            active: row.get(5),
            tags: row.get::<_, Json<&RawValue>>(6).0,
            rating: Rating { score: row.get(7), count: row.get(8) },
        })
        .collect();
    json(&Items { count: items.len(), items }, 8 * 1024)
}

fn json(value: &impl Serialize, capacity: usize) -> Bytes {
    let mut out = Vec::with_capacity(capacity);
    serde_json::to_writer(&mut out, value).unwrap();
    out.into()
}

fn number<T: std::str::FromStr>(query: &str, name: &str, fallback: T) -> T {
    let given = query.split('&').filter_map(|pair| pair.split_once('=')).find(|pair| pair.0 == name);
    given.and_then(|pair| pair.1.parse().ok()).unwrap_or(fallback)
}

fn answer(kind: &'static str, content: Bytes) -> Response<Bytes> {
    let mut response = Response::with_body(StatusCode::OK, content);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

async fn serve(database: Rc<Database>, request: Request) -> Result<Response<Bytes>, tokio_postgres::Error> {
    const JSON: &str = "application/json";
    Ok(match request.path() {
        "/db" => answer(JSON, json(&database.read().await?, 40)),
        "/queries" => answer(JSON, json(&database.read_all().await?, 40 * BATCH)),
        "/updates" => answer(JSON, json(&database.update().await?, 40 * BATCH)),
        "/fortunes" => answer("text/html; charset=utf-8", page(&database.rows(&database.fortunes, &NONE).await?)),
        "/async-db" => {
            let query = request.uri().query().unwrap_or("");
            let (min, max) = (number(query, "min", 10), number(query, "max", 50));
            let limit = number(query, "limit", 50i64).clamp(1, 50);
            answer(JSON, items(&database.rows(&database.items, &[&min, &max, &limit]).await?))
        }
        _ => Response::with_body(StatusCode::NOT_FOUND, Bytes::new()),
    })
}

#[derive(Clone)]
struct Routes(Rc<Database>);

impl actix_service::Service<Request> for Routes {
    type Response = Response<Bytes>;
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Response<Bytes>, Error>>;

    actix_service::always_ready!();

    fn call(&self, request: Request) -> Self::Future {
        let database = self.0.clone();
        Box::pin(async move {
            Ok(serve(database, request).await.unwrap_or_else(|error| {
                Response::with_body(StatusCode::INTERNAL_SERVER_ERROR, error.to_string().into())
            }))
        })
    }
}

#[actix_rt::main]
async fn main() -> std::io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    actix_server::Server::build()
        .workers(numbers[1])
        .backlog(1024)
        .bind("routes", ("127.0.0.1", numbers[0] as u16), || {
            HttpService::build()
                .keep_alive(KeepAlive::Os)
                .client_request_timeout(Duration::ZERO)
                .h1(actix_service::fn_factory(|| async { Ok::<_, Error>(Routes(Rc::new(Database::connect().await))) }))
                .tcp()
        })?
        .run()
        .await
}
