import Foundation
import HttpC

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A running server, and its log of requests.
struct RealServer: Sendable {
    /// A port of the server.
    enum Port: Int, CaseIterable {
        /// Everything over http. SAML2: service providers over http.
        case plain
        /// Everything on another origin: http for Apache, https for nginx. SAML2: the identity provider over http.
        /// OData: the services in SAP's style. OpenID: a relying party.
        case second
        /// https for Apache; http with three requests per connection for nginx. SAML2: service
        /// providers over https. OpenID: a relying party that gets answers by POST.
        case third
        /// http that closes idle connections after five milliseconds. SAML2: the identity provider over https.
        /// OpenID: the provider over https.
        case impatient
        /// HTTP/2 over https, for Apache and nginx.
        case multiplexed
        /// https with TLS 1.2 only, for Apache and nginx. Kerberos: the acceptor over https. A client certificate of
        /// the test authority is required.
        case mutual12
        /// The same with TLS 1.3 only. Kerberos: the acceptor over http.
        case mutual13
        /// https with TLS 1.2 and 1.3, HTTP/1.1 and HTTP/2, for Apache. Some paths require a client certificate of the
        /// test authority.
        case located
        /// The same with TLS 1.2 only.
        case located12
        /// The same with TLS 1.3 only, over HTTP/1.1.
        case located13
    }

    let kind: ServerKind
    let directory: URL
    let ports: [Int]

    func port(_ port: Port = .plain) -> Int { ports[port.rawValue] }

    func url(_ path: String, _ port: Port = .plain) -> String {
        let isTLS =
            switch kind {
            case .apache: port != .plain && port != .second && port != .impatient
            case .nginx: [.second, .multiplexed, .mutual12, .mutual13].contains(port)
            case .saml: port == .third || port == .impatient
            case .oauth: port != .plain
            case .registry: true
            case .kerberos: port == .second || port == .mutual12
            case .lighttpd, .wordpress, .odata, .grants, .squid, .tinyproxy, .microsocks, .pypi: false
            }
        return "\(isTLS ? "https" : "http")://127.0.0.1:\(self.port(port))\(path)"
    }

    /// A path on this server that redirects to `url` with `status`.
    func redirect(_ status: Int, to url: String, _ port: Port = .plain) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let scheme = parts[0].dropLast()
        let targetPort = parts[2].split(separator: ":")[1]
        return self.url("/away/\(status)/\(scheme)/\(targetPort)/\(parts[3])", port)
    }

    /// The requests for a path, in order of arrival. Apache and lighttpd log complete heads before they answer. nginx
    /// logs selected fields after the answer.
    func received(_ path: String) throws -> [ReceivedRequest] {
        try received(below: path).filter { $0.path == path }
    }

    /// The requests whose path begins with `prefix`.
    func received(below prefix: String) throws -> [ReceivedRequest] {
        let requests =
            switch kind {
            // Parsing whole logs is slow, and most lines belong to other tests.
            case .apache, .saml, .wordpress, .kerberos:
                try log("forensic.log", with: prefix).compactMap(ReceivedRequest.init(forensic:))
            case .nginx, .oauth, .odata, .grants:
                try log("received.log", with: prefix).compactMap(ReceivedRequest.init(json:))
            case .squid, .tinyproxy, .microsocks, .registry, .pypi: [ReceivedRequest]()
            case .lighttpd: ReceivedRequest.all(lighttpd: try log("error.log", with: " rqst: "))
            }
        return requests.filter { $0.path.hasPrefix(prefix) }
    }

    /// Waits until the log has `count` requests for a path, because nginx writes its log after the answer.
    func received(_ path: String, atLeast count: Int) async throws -> [ReceivedRequest] {
        for _ in 0..<500 {
            let requests = try received(path)
            if requests.count >= count { return requests }
            try await Task.sleep(for: .milliseconds(10))
        }
        return try received(path)
    }

    /// The lines of a log, filtered by `text` if it is given.
    func log(_ name: String, with text: String = "") throws -> [String] {
        let data = try Data(contentsOf: directory.appending(path: "logs/\(name)"))
        // Terminated, because the C library looks for the text: logs are long.
        return (data + [0]).withUnsafeBytes { Self.lines(of: $0.bindMemory(to: CChar.self), with: text) }
    }

    private static func lines(of log: UnsafeBufferPointer<CChar>, with text: String) -> [String] {
        guard let first = log.baseAddress else { return [] }
        var next = first
        var lines: [String] = []
        while next.pointee != 0, let hit = strstr(next, text) {
            var start = UnsafePointer(hit)
            while start > next, start[-1] != 0x0A { start -= 1 }
            let length = strcspn(hit, "\n")
            let bytes = UnsafeRawBufferPointer(start: start, count: UnsafePointer(hit) - start + length)
            if !bytes.isEmpty { lines.append(String(decoding: bytes, as: UTF8.self)) }
            next = UnsafePointer(hit) + length
            if next.pointee != 0 { next += 1 }
        }
        return lines
    }

    /// An uploaded file.
    func uploaded(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: directory.appending(path: "dav/\(name)")))
    }
}
