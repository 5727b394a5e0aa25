import NIOCore

/// SOCKS5 (RFC 1928) with user name and password (RFC 1929).
extension ProxyClient {
    mutating func serveSOCKS() async throws {
        let rule = proxies.rule
        guard let greeting = try await reader.exactly(2), let methods = try await reader.exactly(Int(greeting[1]))
        else { return }
        let method: UInt8 = rule.authentication == .none ? 0 : 2
        guard methods.contains(method) else {
            let id = proxies.add(.socks5, "", [], greeting + methods, on: connection)
            proxies.update(id) { $0.status = 0xFF }
            return try await write([5, 0xFF])
        }
        try await write([5, method])
        var seen = greeting + methods
        if method == 2 {
            guard let login = try await socksLogin() else { return }
            seen += login.bytes
            let isRight = login.name == rule.user.name && login.password == rule.user.password
            shared.counters.count(isRight ? \.authenticated : \.failedLogins)
            try await write([1, isRight ? 0 : 1])
            guard isRight else {
                let id = proxies.add(.socks5, "", [], seen, on: connection)
                return proxies.update(id) { $0.status = 1 }
            }
        }
        guard let request = try await socksRequest() else { return }
        let id = proxies.add(.socks5, "\(request.host):\(request.port)", [], seen + request.bytes, on: connection)
        if method == 2 { proxies.update(id) { $0.user = rule.user.name } }
        try await serveSOCKS(port: request.port, rule, id)
    }

    private mutating func serveSOCKS(port: Int, _ rule: LandscapeProxyRule, _ id: Int) async throws {
        switch rule.fault {
        case .answers(let bytes): return try await write(bytes)
        case .silence: return try await keepSilent(id)
        case .cut: return
        case .socksReply(let code): return try await reply(code, id)
        case .tunnels(let bytes):
            try await reply(0, id)
            try await write(bytes)
            return try await keepSilent(id)
        case nil: break
        }
        let server: ByteListener.Stream
        do { server = try await connect(port: port, ByteListener.stream) } catch { return try await reply(5, id) }
        proxies.update(id) { $0.status = 0 }
        try await tunnel(server, id, answer: Self.answer(0))
    }

    private func reply(_ code: UInt8, _ id: Int) async throws {
        proxies.update(id) { $0.status = Int(code) }
        try await write(Self.answer(code))
    }

    private static func answer(_ code: UInt8) -> [UInt8] { [5, code, 0, 1, 127, 0, 0, 1, 0, 0] }

    private mutating func socksLogin() async throws -> (name: String, password: String, bytes: [UInt8])? {
        guard let start = try await reader.exactly(2), let name = try await reader.exactly(Int(start[1])),
            let length = try await reader.exactly(1), let password = try await reader.exactly(Int(length[0]))
        else { return nil }
        return (
            String(decoding: name, as: UTF8.self), String(decoding: password, as: UTF8.self),
            start + name + length + password
        )
    }

    private mutating func socksRequest() async throws -> (host: String, port: Int, bytes: [UInt8])? {
        guard let start = try await reader.exactly(4) else { return nil }
        var length: [UInt8] = []
        let size: Int
        switch start[3] {
        case 1: size = 4
        case 4: size = 16
        default:
            guard let byte = try await reader.exactly(1) else { return nil }
            length = byte
            size = Int(byte[0])
        }
        guard let address = try await reader.exactly(size), let port = try await reader.exactly(2) else { return nil }
        let host =
            switch start[3] {
            case 3: String(decoding: address, as: UTF8.self)
            case 1: address.map(String.init).joined(separator: ".")
            default: "[" + address.map { String($0, radix: 16) }.joined(separator: ".") + "]"
            }
        return (host, Int(port[0]) << 8 | Int(port[1]), start + length + address + port)
    }
}
