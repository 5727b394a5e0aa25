import HTTPTypes
import HttpConversation
import NIOCore

/// SOCKS version 5 (RFC 1928), with user name and password (RFC 1929) only if the proxy asks for them. The proxy
/// resolves names; it takes `localhost` for its own machine.
struct SOCKSNegotiation: TunnelNegotiation {
    private enum State { case method, login, reply }
    private enum Method { static let none: UInt8 = 0, login: UInt8 = 2, refused: UInt8 = 0xFF }

    private let proxy: ProxyServer
    private let origin: Origin
    private let login: (username: [UInt8], password: [UInt8])?
    private var state = State.method

    /// - Throws: ``ConversationError/Code/proxyRefused`` if the login does not fit into the protocol
    init(through proxy: ProxyServer, to origin: Origin) throws(ConversationError) {
        self.proxy = proxy
        self.origin = origin
        guard let given = proxy.login else {
            login = nil
            return
        }
        let login = (username: Array(given.username.value.utf8), password: Array(given.password.value.utf8))
        guard (1...255).contains(login.username.count), (1...255).contains(login.password.count) else {
            throw ConversationError(
                .proxyRefused,
                "The user name and password for the proxy \(proxy) must have 1 to 255 bytes each for SOCKS; nothing was sent."
            )
        }
        self.login = login
    }

    func opening() -> [UInt8] { login == nil ? [5, 1, Method.none] : [5, 2, Method.none, Method.login] }

    mutating func received(_ buffer: inout ByteBuffer) throws(ConversationError) -> TunnelStep {
        switch state {
        case .method: try method(&buffer)
        case .login: try loginAnswer(&buffer)
        case .reply: try reply(&buffer)
        }
    }

    private mutating func method(_ buffer: inout ByteBuffer) throws(ConversationError) -> TunnelStep {
        try checkVersion(buffer, [5])
        guard let answer = buffer.readBytes(length: 2) else { return .more }
        switch answer[1] {
        case Method.none:
            state = .reply
            return .send(request)
        case Method.login where login != nil:
            state = .login
            return .send(loginMessage)
        case Method.refused:
            throw refused(
                login == nil
                    ? "it wants a login, and there is none for it: give it a user name and password (ProxyServer.login)"
                    : "it accepts no user name and password")
        default: throw ProxyFailure.handshake(proxy, "it chose a way to log in that was not offered")
        }
    }

    private var loginMessage: [UInt8] {
        guard let login else { return [] }
        return [1, UInt8(login.username.count)] + login.username + [UInt8(login.password.count)] + login.password
    }

    private mutating func loginAnswer(_ buffer: inout ByteBuffer) throws(ConversationError) -> TunnelStep {
        // Some proxies repeat the version of SOCKS here.
        try checkVersion(buffer, [1, 5])
        guard let answer = buffer.readBytes(length: 2) else { return .more }
        guard answer[1] == 0 else {
            throw refused("it does not accept the user name and password (ProxyServer.login)")
        }
        state = .reply
        return .send(request)
    }

    private var request: [UInt8] {
        [5, 1, 0] + address + [UInt8(truncatingIfNeeded: origin.port >> 8), UInt8(truncatingIfNeeded: origin.port)]
    }

    private var address: [UInt8] {
        if let bytes = origin.addressBytes {
            return [bytes.count == 4 ? 1 : 4] + bytes
        }
        // A validated host name has 253 bytes at most.
        let name = Array(origin.host.utf8.prefix(255))
        return [3, UInt8(name.count)] + name
    }

    private func reply(_ buffer: inout ByteBuffer) throws(ConversationError) -> TunnelStep {
        try checkVersion(buffer, [5])
        let start = buffer.readerIndex
        // A proxy that refuses may leave out the rest.
        if let code: UInt8 = buffer.getInteger(at: start + 1), code != 0 { throw refused(Self.words(code)) }
        guard let kind: UInt8 = buffer.getInteger(at: start + 3) else { return .more }
        let length: Int
        switch kind {
        case 1: length = 4
        case 4: length = 16
        case 3:
            guard let count: UInt8 = buffer.getInteger(at: start + 4) else { return .more }
            length = 1 + Int(count)
        default: throw ProxyFailure.handshake(proxy, "its answer names an address of no known kind")
        }
        guard buffer.readBytes(length: 4 + length + 2) != nil else { return .more }
        return .established(nil)
    }

    private func checkVersion(_ buffer: ByteBuffer, _ versions: [UInt8]) throws(ConversationError) {
        guard let version: UInt8 = buffer.getInteger(at: buffer.readerIndex), !versions.contains(version) else {
            return
        }
        throw ProxyFailure.handshake(proxy, "what it says is not SOCKS version 5")
    }

    private func refused(_ why: String) -> ConversationError {
        ConversationError(
            .proxyRefused, "The proxy \(proxy) made no connection to \(origin.hostAndPort): \(why).")
    }

    /// The meaning of a reply code (RFC 1928 §6).
    private static func words(_ code: UInt8) -> String {
        switch code {
        case 1: "it failed in general, and does not say why"
        case 2: "its rules do not allow it"
        case 3: "the network cannot be reached from there"
        case 4: "the host cannot be reached from there: it may not know the name"
        case 5: "the server refused the connection"
        case 6: "the connection took too long (TTL expired)"
        case 7: "it does not make connections for others (command not supported)"
        case 8: "it does not know this kind of address"
        default: "for a reason that is not known (reply \(code))"
        }
    }
}
