//! Documents, collections and errors in the form of the fabric manager's REST interface.
//!
//! Does not know what a document is about. Versions, times and owners are kept by path; a document
//! without an entry has never been changed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::filter::{Query, Scalar, encoded, field_of};

/// A request: verb, path without its query, query, body, and the subject of the token.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub query: String,
    #[serde(default)]
    pub body: Option<Value>,
    #[serde(default)]
    pub owner: String,
}

impl Request {
    pub fn is_mutation(&self) -> bool {
        self.method != "GET"
    }
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Response {
    pub status: u16,
    pub body: Value,
}

impl Response {
    pub fn ok(body: Value) -> Response {
        Response { status: 200, body }
    }

    /// The error codes are an extension of ours: the status times 100.
    pub fn error(status: u16, message: impl Into<String>) -> Response {
        let body = json!({
            "message": message.into(),
            "statusCode": status,
            "documentKind": "com:services:common:ServiceErrorResponse",
            "errorCode": u32::from(status) * 100,
        });
        Response { status, body }
    }
    pub fn not_found(path: &str) -> Response {
        Response::error(404, format!("Service not found: {path}"))
    }
    pub fn bad(message: impl Into<String>) -> Response {
        Response::error(400, message)
    }
    pub fn not_allowed(method: &str, path: &str) -> Response {
        Response::error(405, format!("{method} is not supported by {path}"))
    }
}

/// Version of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct Meta {
    pub version: u64,
    pub micros: u64,
    pub action: &'static str,
    pub owner: String,
}

/// Stored documents and the versions of all documents, by path.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    pub stored: BTreeMap<String, Map<String, Value>>,
    /// Fields that clients added to documents that are derived from the fabric.
    pub added: BTreeMap<String, Map<String, Value>>,
    pub meta: BTreeMap<String, Meta>,
    /// Start of simulated time: when documents without an entry were created.
    pub start_micros: u64,
    /// Counts changes of any document.
    pub changes: u64,
}

impl Documents {
    /// Notes a change of a document.
    pub fn touch(&mut self, path: &str, micros: u64, action: &'static str, owner: &str) {
        self.changes += 1;
        // A document without an entry has been readable as version 0, unless this creates it.
        let first = u64::from(action != "POST");
        let version = self.meta.get(path).map_or(first, |meta| meta.version + 1);
        let owner = owner.to_string();
        self.meta.insert(path.to_string(), Meta { version, micros, action, owner });
    }

    pub fn forget(&mut self, path: &str) {
        self.changes += 1;
        self.stored.remove(path);
        self.added.remove(path);
        self.meta.remove(path);
    }

    /// A complete document: fields, added fields, and those that all documents have.
    pub fn complete(&self, path: &str, kind: &str, mut fields: Map<String, Value>) -> Value {
        if let Some(added) = self.added.get(path) {
            for (name, value) in added {
                fields.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        let first =
            Meta { version: 0, micros: self.start_micros, action: "POST", owner: String::new() };
        let meta = self.meta.get(path).unwrap_or(&first);
        let owner = if meta.owner.is_empty() { "fabric-manager" } else { &meta.owner };
        let principal = format!("/core/authz/users/{owner}");
        for (name, value) in [
            ("documentVersion", json!(meta.version)),
            ("documentEpoch", json!(0)),
            ("documentKind", json!(format!("com:services:fabric:models:{kind}"))),
            ("documentSelfLink", json!(path)),
            ("documentUpdateTimeMicros", json!(meta.micros)),
            ("documentUpdateAction", json!(meta.action)),
            ("documentExpirationTimeMicros", json!(0)),
            ("documentOwner", json!(owner)),
            ("documentAuthPrincipalLink", json!(principal)),
        ] {
            fields.insert(name.to_string(), value);
        }
        Value::Object(fields)
    }
}

/// Whether the names of a field are written by the control plane and ignored in a body.
pub fn is_reserved(name: &str) -> bool {
    name.starts_with("document")
}

/// Merges a body into a document: `null` removes a field, objects merge (RFC 7396).
pub fn merge(into: &mut Map<String, Value>, body: &Map<String, Value>) {
    for (name, value) in body.iter().filter(|(name, _)| !is_reserved(name)) {
        match (value, into.get_mut(name)) {
            (Value::Null, _) => {
                into.remove(name);
            }
            (Value::Object(own), Some(Value::Object(old))) => merge(old, own),
            (Value::Object(own), _) => {
                let mut new = Map::new();
                merge(&mut new, own);
                into.insert(name.clone(), Value::Object(new));
            }
            (value, _) => {
                into.insert(name.clone(), value.clone());
            }
        }
    }
}

/// The members of a collection, by position.
pub struct Collection<'a> {
    pub path: &'a str,
    pub len: usize,
    /// Positions that may match the filter; `None` for all.
    pub among: Option<Vec<usize>>,
    pub link: &'a dyn Fn(usize) -> String,
    pub document: &'a dyn Fn(usize) -> Value,
    /// One field of a member, for collections whose documents are expensive; `None`: that of the
    /// document.
    pub field: Option<&'a Field<'a>>,
}

/// A field of a member by position and name.
pub type Field<'a> = dyn Fn(usize, &str) -> Option<Scalar> + 'a;

/// Documents on a page without `$limit`, if the query expands them: more would be an answer of
/// hundreds of megabytes.
pub const MAX_EXPANDED: usize = 10_000;

/// Time of the answer to a query, and version of the collection: 0 if it has none.
#[derive(Clone, Copy)]
pub struct Revision {
    pub micros: u64,
    pub version: u64,
}

/// The answer to a query of a collection whose members are found by name.
pub fn list_by_name<N: AsRef<str>>(
    path: &str,
    names: impl Iterator<Item = N>,
    document: &dyn Fn(&str) -> Value,
    query: &Query,
    revision: Revision,
) -> Response {
    let names: Vec<N> = names.collect();
    let link = |at: usize| format!("{path}/{}", names[at].as_ref());
    let document = |at: usize| document(names[at].as_ref());
    let (len, among, field) = (names.len(), None, None);
    let collection = Collection { path, len, among, link: &link, document: &document, field };
    collection.answer(query, revision)
}

impl Collection<'_> {
    /// The answer to a query of the collection.
    pub fn answer(&self, query: &Query, revision: Revision) -> Response {
        let mut members: Vec<usize> = match &query.filter {
            None => (0..self.len).collect(),
            Some(filter) => {
                let accepts = |&at: &usize| match self.field {
                    Some(field) => filter.accepts(&|name| field(at, name)),
                    None => {
                        let document = (self.document)(at);
                        filter.accepts(&|name| field_of(&document, name))
                    }
                };
                match &self.among {
                    None => (0..self.len).filter(accepts).collect(),
                    Some(among) => among.iter().copied().filter(accepts).collect(),
                }
            }
        };
        if let Some((field, descending)) = &query.orderby {
            sort(&mut members, *descending, |at| match self.field {
                Some(of) => of(at, field),
                None => field_of(&(self.document)(at), field),
            });
        }
        members.truncate(query.top.unwrap_or(usize::MAX));
        let total = members.len();
        let page = query.limit.unwrap_or(if query.expand { MAX_EXPANDED } else { usize::MAX });
        let shown: Vec<usize> = members.into_iter().skip(query.skip).take(page).collect();
        let links: Vec<String> = shown.iter().map(|&at| (self.link)(at)).collect();
        let mut body = json!({
            "totalCount": total,
            "documentCount": links.len(),
            "queryTimeMicros": 0,
            "documentVersion": revision.version,
            "documentUpdateTimeMicros": revision.micros,
            "documentExpirationTimeMicros": 0,
            "documentOwner": "fabric-manager",
        });
        if query.expand {
            let documents = shown.iter().map(|&at| (self.document)(at));
            body["documents"] = links.iter().cloned().zip(documents).collect::<Map<_, _>>().into();
        }
        if query.skip.saturating_add(page) < total {
            body["nextPageLink"] = json!(self.page(query, page, query.skip + page));
        }
        if query.skip > 0 {
            body["prevPageLink"] = json!(self.page(query, page, query.skip.saturating_sub(page)));
        }
        body["documentLinks"] = json!(links);
        Response::ok(body)
    }

    fn page(&self, query: &Query, page: usize, skip: usize) -> String {
        let limit = page.min(self.len.max(1));
        let mut link = format!("{}?$limit={limit}&$skip={skip}", self.path);
        if query.filter.is_some() {
            link += &format!("&$filter={}", encoded(&query.filter_text));
        }
        if let Some((field, descending)) = &query.orderby {
            let order = if *descending { "%20desc" } else { "" };
            link += &format!("&$orderby={}{order}", encoded(field));
        }
        if let Some(top) = query.top {
            link += &format!("&$top={top}");
        }
        if query.expand {
            link += "&expand";
        }
        link
    }
}

/// Sorts positions by a key, which is computed once; members without the field come first.
pub fn sort(members: &mut [usize], descending: bool, key: impl Fn(usize) -> Option<Scalar>) {
    let mut keyed: Vec<(Scalar, usize)> =
        members.iter().map(|&at| (key(at).unwrap_or(Scalar::Null), at)).collect();
    let rank = |scalar: &Scalar| match scalar {
        Scalar::Null => 0,
        Scalar::Bool(_) => 1,
        Scalar::Number(_) => 2,
        Scalar::Text(_) => 3,
    };
    keyed.sort_by(|(a, _), (b, _)| {
        let same = |a: &Scalar, b: &Scalar| match (a, b) {
            (Scalar::Number(a), Scalar::Number(b)) => a.total_cmp(b),
            (Scalar::Text(a), Scalar::Text(b)) => a.cmp(b),
            (Scalar::Bool(a), Scalar::Bool(b)) => a.cmp(b),
            _ => rank(a).cmp(&rank(b)),
        };
        if descending { same(b, a) } else { same(a, b) }
    });
    for (place, (_, at)) in members.iter_mut().zip(keyed) {
        *place = at;
    }
}
