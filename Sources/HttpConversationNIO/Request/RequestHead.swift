import HTTPTypes

/// The head of a request as both versions of HTTP write it.
struct RequestHead: Sendable {
    let method: HTTPRequest.Method
    /// Path and query; the whole URL for a proxy that reads the request.
    let target: String
    /// The header fields with the transport's own: `Host` first, and a body's length or coding as HTTP/1.1 has it.
    var fields: [(name: String, value: String)]
}
