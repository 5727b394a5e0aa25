import NIOHPACK

/// What the bare clients of HTTP/2 have in common.
enum BareHTTP2 {
    static func request(_ authority: String) -> HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(8)
        headers.add(name: ":method", value: "GET")
        headers.add(name: ":scheme", value: "https")
        headers.add(name: ":authority", value: authority)
        headers.add(name: ":path", value: "/json")
        headers.add(name: "accept", value: "*/*")
        headers.add(name: "accept-encoding", value: "gzip, deflate")
        headers.add(name: "user-agent", value: "HttpConversation")
        return headers
    }
}
