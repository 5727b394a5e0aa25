import HttpConversationConformance

extension RawServer {
    /// A script that answers each request with a text.
    ///
    /// - Parameter heads: receives the heads of the requests
    static func answering(_ text: String = "secure", heads: Log = Log()) -> Script {
        { connection in
            while true {
                heads.append(try await connection.readHead())
                try await connection.respond(text)
            }
        }
    }
}
