import HttpConvPlatform

/// HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec). Members that begin with `_` are extensions.
struct HTTPArchive: Encodable {
    let log: Log

    struct Log: Encodable {
        let version = "1.2"
        let creator: Creator
        let pages: [Page]
        let entries: [Entry]
        let comment: String?
    }

    struct Creator: Encodable {
        let name: String
        let version: String
    }

    /// A conversation.
    struct Page: Encodable {
        let startedDateTime: Date
        let id: String
        let title: String
        let pageTimings: PageTimings
        /// The page of the conversation that started this one.
        let _parent: String?
        let comment: String?
    }

    struct PageTimings: Encodable {
        let onContentLoad: Double
        let onLoad: Double
    }

    /// An exchange.
    struct Entry: Encodable {
        let pageref: String
        let startedDateTime: Date
        /// The time in milliseconds, like all times.
        let time: Double
        let request: Request
        let response: Response
        let cache = Cache()
        let timings: Timings
        let serverIPAddress: String?
        let connection: String?
        let _connectionReused: Bool?
        let _tlsVersion: String?
        let _proxy: String?
        let comment: String?
    }

    struct Cache: Encodable {}

    struct Request: Encodable {
        let method: String
        let url: String
        let httpVersion: String
        let cookies: [NamedValue]
        let headers: [NamedValue]
        let queryString: [NamedValue]
        let headersSize = -1
        let bodySize: Int
    }

    struct Response: Encodable {
        let status: Int
        let statusText: String
        let httpVersion: String
        let cookies: [NamedValue]
        let headers: [NamedValue]
        let content: Content
        let redirectURL: String
        let headersSize = -1
        let bodySize: Int
        let _error: String?
    }

    struct Content: Encodable {
        let size: Int
        let mimeType: String
    }

    /// A field, a cookie, or a parameter.
    struct NamedValue: Encodable {
        let name: String
        let value: String
    }

    struct Timings: Encodable {
        let blocked: Double
        let dns = -1.0
        /// The time for connecting, including the TLS handshake.
        let connect: Double
        let ssl: Double
        let send = 0.0
        let wait: Double
        let receive: Double
    }
}
