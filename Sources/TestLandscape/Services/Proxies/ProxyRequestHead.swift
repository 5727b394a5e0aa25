/// The head of a request to an HTTP proxy.
struct ProxyRequestHead: Sendable {
    let bytes: [UInt8]
    let method: String
    let target: String
    let fields: [HeaderField]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let head = RawRequestReader.Head(bytes)
        (method, target, fields) = (head.method, head.target, head.fields)
    }

    func value(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }

    var kind: ProxyRecord.Kind {
        method == "CONNECT" ? .connect : target.lowercased().hasPrefix("http://") ? .absolute : .other
    }

    /// The requested port.
    var port: Int? {
        let rest = kind == .connect ? target[...] : target.dropFirst("http://".count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority
        guard let colon = host.lastIndex(of: ":") else { return kind == .absolute ? 80 : nil }
        return Int(host[host.index(after: colon)...])
    }

    /// The path and query of a whole URL.
    var originForm: String {
        let rest = target.dropFirst("http://".count).drop { !"/?".contains($0) }
        return rest.first == "/" ? String(rest) : "/" + rest
    }
}
