// A pipelined connection to PostgreSQL for coroutines of may: one coroutine writes what is queued, another one reads
// and passes each answer, up to its ReadyForQuery, to the one that has asked. Answers arrive in the order of the
// requests. No TLS, no password.
use bytes::{Buf, Bytes, BytesMut};
use may::io::WaitIo;
use may::net::TcpStream;
use may::sync::{Mutex, mpsc};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::Arc;

struct Request {
    bytes: BytesMut,
    answers: mpsc::Sender<Bytes>,
}

#[derive(Clone)]
pub struct Connection {
    requests: mpsc::Sender<Request>,
}

/// The use of a connection by one coroutine, which gets the answers in the order of its requests.
pub struct Client {
    requests: mpsc::Sender<Request>,
    answers: mpsc::Receiver<Bytes>,
    answer_to: mpsc::Sender<Bytes>,
}

pub struct Rows(Bytes);

fn fault(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// The type and the size of the first message, if its head is there.
fn head(bytes: &[u8]) -> Option<(u8, usize)> {
    if bytes.len() < 5 {
        return None;
    }
    Some((bytes[0], u32::from_be_bytes(bytes[1..5].try_into().unwrap()) as usize + 1))
}

fn read_some(stream: &mut TcpStream, buffer: &mut BytesMut) -> io::Result<()> {
    loop {
        buffer.reserve(32 * 1024);
        let room = buffer.spare_capacity_mut();
        // SAFETY: read() writes only, and set_len() covers what it has written.
        let room = unsafe { &mut *(room as *mut _ as *mut [u8]) };
        match stream.inner_mut().read(room) {
            Ok(0) => return Err(fault("the database has closed the connection")),
            Ok(count) => {
                unsafe { buffer.set_len(buffer.len() + count) };
                return Ok(());
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                stream.wait_io();
            }
            Err(error) => return Err(error),
        }
    }
}

/// Reads up to the next ReadyForQuery; `checked` bytes of the buffer are complete messages.
fn read_answer(stream: &mut TcpStream, buffer: &mut BytesMut) -> io::Result<Bytes> {
    let mut checked = 0;
    loop {
        while let Some((kind, size)) = head(&buffer[checked..]) {
            if buffer.len() < checked + size {
                break;
            }
            checked += size;
            if kind == b'Z' {
                return Ok(buffer.split_to(checked).freeze());
            }
        }
        read_some(stream, buffer)?;
    }
}

impl Connection {
    pub fn open(address: &str, user: &str, database: &str, statements: &[(&str, &str)]) -> io::Result<Connection> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let mut bytes = BytesMut::new();
        frontend::startup_message([("user", user), ("database", database)], &mut bytes)?;
        stream.write_all(&bytes)?;
        let mut buffer = BytesMut::new();
        read_answer(&mut stream, &mut buffer)?;
        for (name, text) in statements {
            bytes.clear();
            frontend::parse(name, text, [], &mut bytes)?;
            frontend::sync(&mut bytes);
            stream.write_all(&bytes)?;
            Rows(read_answer(&mut stream, &mut buffer)?).skip()?;
        }
        let (requests, queue) = mpsc::channel::<Request>();
        let waiting = Arc::new(Mutex::new(VecDeque::with_capacity(1024)));
        let mut writer = stream.try_clone()?;
        let asked = waiting.clone();
        may::go!(move || {
            let mut out = BytesMut::with_capacity(64 * 1024);
            while let Ok(first) = queue.recv() {
                let mut next = Some(first);
                while let Some(request) = next {
                    asked.lock().unwrap().push_back(request.answers);
                    out.extend_from_slice(&request.bytes);
                    next = queue.try_recv().ok();
                }
                writer.write_all(&out).expect("the database reads");
                out.clear();
            }
        });
        may::go!(move || {
            loop {
                let answer = read_answer(&mut stream, &mut buffer).expect("the database answers");
                let asked: mpsc::Sender<Bytes> = waiting.lock().unwrap().pop_front().expect("an answer to a request");
                asked.send(answer).ok();
            }
        });
        Ok(Connection { requests })
    }

    pub fn client(&self) -> Client {
        let (answer_to, answers) = mpsc::channel();
        Client { requests: self.requests.clone(), answers, answer_to }
    }
}

impl Client {
    /// Parameters are in binary form, and so are the columns of the result.
    pub fn ask(&self, statement: &str, parameters: &[&[u8]]) -> io::Result<()> {
        let mut bytes = BytesMut::with_capacity(96);
        let put = |value: &&[u8], out: &mut BytesMut| {
            out.extend_from_slice(value);
            Ok(IsNull::No)
        };
        frontend::bind("", statement, [1], parameters, put, [1], &mut bytes).map_err(|_| fault("a parameter"))?;
        frontend::execute("", 0, &mut bytes)?;
        frontend::sync(&mut bytes);
        self.requests.send(Request { bytes, answers: self.answer_to.clone() }).map_err(|_| fault("the connection has ended"))
    }

    /// To the oldest request without an answer.
    pub fn answer(&self) -> io::Result<Rows> {
        self.answers.recv().map(Rows).map_err(|_| fault("the connection has ended"))
    }
}

pub struct Row<'a>(&'a [u8]);

impl<'a> Row<'a> {
    pub fn bytes(&mut self) -> &'a [u8] {
        let size = self.0.get_i32().max(0) as usize;
        let (value, rest) = self.0.split_at(size);
        self.0 = rest;
        value
    }

    pub fn int(&mut self) -> i32 {
        i32::from_be_bytes(self.bytes().try_into().unwrap_or_default())
    }

    pub fn bool(&mut self) -> bool {
        self.bytes() == [1]
    }

    pub fn text(&mut self) -> io::Result<&'a str> {
        std::str::from_utf8(self.bytes()).map_err(|_| fault("text that is not UTF-8"))
    }
}

impl Rows {
    pub fn each<'a>(&'a self, mut take: impl FnMut(Row<'a>) -> io::Result<()>) -> io::Result<()> {
        let mut rest = &self.0[..];
        while let Some((kind, size)) = head(rest) {
            match kind {
                b'D' => take(Row(&rest[7..size]))?,
                b'E' => return Err(fault(&String::from_utf8_lossy(&rest[5..size]))),
                _ => {}
            }
            rest = &rest[size..];
        }
        Ok(())
    }

    pub fn skip(&self) -> io::Result<()> {
        self.each(|_| Ok(()))
    }
}
