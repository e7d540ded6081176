// axum with jsonwebtoken and tower-sessions. Arguments: port, threads. JWT_KEY is the PEM of the public key (ES256).
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde::Deserialize;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};
use tower_sessions::cookie::Key;
use tower_sessions::{MemoryStore, Session, SessionManagerLayer};

#[derive(Deserialize)]
struct Claims {
    sub: String,
}

struct Verifier {
    key: DecodingKey,
    rules: Validation,
}

async fn bearer(State(verifier): State<Arc<Verifier>>, headers: HeaderMap) -> Result<String, StatusCode> {
    let token = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "))
        .ok_or(StatusCode::UNAUTHORIZED)?;
    let token = decode::<Claims>(token, &verifier.key, &verifier.rules).map_err(|_| StatusCode::UNAUTHORIZED)?;
    Ok(token.claims.sub)
}

async fn login(session: Session) -> StatusCode {
    session.insert("name", "anna").await.expect("a session");
    StatusCode::NO_CONTENT
}

async fn name(session: Session) -> Result<String, StatusCode> {
    session.get("name").await.ok().flatten().ok_or(StatusCode::UNAUTHORIZED)
}

fn router() -> Router {
    let pem = std::env::var("JWT_KEY").expect("JWT_KEY is set");
    let mut rules = Validation::new(Algorithm::ES256);
    rules.set_issuer(&["https://id.example"]);
    rules.set_audience(&["shop"]);
    let verifier = Verifier { key: DecodingKey::from_ec_pem(pem.as_bytes()).expect("a key"), rules };
    let sessions = SessionManagerLayer::new(MemoryStore::default()).with_private(Key::generate()).with_name("session");
    let with_session = Router::new().route("/login", post(login)).route("/session", get(name)).layer(sessions);
    Router::new()
        .route("/none", get(async || "anna"))
        .route("/jwt", get(bearer))
        .with_state(Arc::new(verifier))
        .merge(with_session)
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
