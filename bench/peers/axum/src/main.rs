// axum with the routes of ../README.md. Arguments: port, threads.
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Query, Request};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};

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

async fn hello() -> &'static str {
    "Hello, World!"
}

async fn json() -> Json<Message> {
    Json(Message { message: "Hello, World!" })
}

async fn json_post(Json(order): Json<Order>) -> Json<Greeting> {
    let Order { name, value } = order;
    Json(Greeting { greeting: format!("Hello, {name}!"), item: Item { name, value, double: 2 * value } })
}

async fn user(Path(id): Path<String>) -> String {
    id
}

async fn echo(body: Bytes) -> Bytes {
    body
}

async fn upload(body: Body) -> Result<String, StatusCode> {
    let mut size = 0;
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        size += piece.map_err(|_| StatusCode::BAD_REQUEST)?.len();
    }
    Ok(size.to_string())
}

fn sum(value: f64) -> f64 {
    let mut sum = 0.0;
    let mut sign = 1.0;
    for n in 1..=5_000_000u32 {
        sum += sign * value.powf(f64::from(n)) / f64::from(n);
        sign = -sign;
    }
    sum
}

#[derive(Deserialize)]
struct Calc {
    value: f64,
}

async fn calc(Query(query): Query<Calc>) -> Result<String, StatusCode> {
    let result = tokio::task::spawn_blocking(move || sum(query.value)).await;
    Ok(result.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?.to_string())
}

async fn pass_on(request: Request, next: Next) -> Response {
    next.run(request).await
}

fn router() -> Router {
    let behind = get(hello).layer(from_fn(pass_on)).layer(from_fn(pass_on)).layer(from_fn(pass_on));
    let router = Router::new()
        .route("/", get(hello))
        .route("/json", get(json).post(json_post))
        .route("/user/{id}", get(user))
        .route("/echo", post(echo))
        .route("/upload", post(upload))
        .route("/calc", get(calc))
        .route("/behind-three", behind);
    (0..300)
        .fold(router, |router, n| router.route(&format!("/route{n}/{{id}}/details"), get(user)))
        .layer(DefaultBodyLimit::disable())
}

async fn serve(port: u16) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?.tap_io(|connection| {
        let _ = connection.set_nodelay(true);
    });
    tokio::spawn(async move {
        terminate.recv().await;
        std::process::exit(0);
    });
    axum::serve(listener, router().into_make_service()).await
}

fn main() -> std::io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    let mut builder = match numbers[1] {
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.worker_threads(numbers[1]).enable_all().build()?.block_on(serve(numbers[0] as u16))
}
