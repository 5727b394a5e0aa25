import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A server's chain, the trusted root, and the verdict that every path must give.
struct SampleChain {
    let title: String
    let server: ChainParty
    /// The certificates that the server sends after its own.
    var others: [ChainParty] = []
    let root: ChainParty
    let isGood: Bool
    /// The verdict of `openssl verify` if it differs, and the reason.
    var openssl: (isGood: Bool, reason: String)?
    /// The verdict of curl if it differs from `openssl verify`, and the reason.
    var curl: (isGood: Bool, reason: String)?

    func context() throws -> NIOSSLContext {
        let chain = try ([server] + others).map {
            NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: Array($0.pem.utf8), format: .pem))
        }
        let key = try NIOSSLPrivateKey(bytes: Array(server.key.pemRepresentation.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(key))
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}

/// Chains of all kinds, made for each run: times are relative to now.
enum ChainCorpus {
    static func make() throws -> [SampleChain] { try good() + ownFaults() + issuerFaults() + searches() }

    private static func good() throws -> [SampleChain] {
        let root = try ChainParty.authority("root")
        let one = try ChainParty.authority("one", by: root, constraints: .isCertificateAuthority(maxPathLength: 1))
        let two = try ChainParty.authority("two", by: one, constraints: .isCertificateAuthority(maxPathLength: 0))
        let key = P256.Signing.PrivateKey()
        let crossed = try ChainParty.authority("crossed", key: key, by: root)
        let elsewhere = try ChainParty.authority(
            "crossed", key: key, by: .authority("unknown"), until: Date() + 3600)
        let allowed = try ChainParty.authority(
            "allowed", by: root,
            nameConstraints: NameConstraints(permittedSubtrees: [.dnsName("localhost")]))
        let web = try ChainParty.authority("web", by: root, purposes: [.serverAuth])
        return [
            SampleChain(title: "direct", server: try .server(by: root), root: root, isGood: true),
            SampleChain(
                title: "one intermediate", server: try .server(by: one), others: [one], root: root, isGood: true),
            SampleChain(
                title: "two intermediates", server: try .server(by: two), others: [two, one], root: root, isGood: true),
            SampleChain(
                title: "in the wrong order", server: try .server(by: two), others: [one, two], root: root, isGood: true),
            SampleChain(
                title: "with its root", server: try .server(by: one), others: [one, root], root: root, isGood: true),
            SampleChain(
                title: "with a stranger", server: try .server(by: one), others: [one, try .authority("stranger")],
                root: root, isGood: true),
            SampleChain(
                title: "cross-signed", server: try .server(by: crossed), others: [crossed, elsewhere], root: root,
                isGood: true),
            SampleChain(
                title: "names within the constraints", server: try .server(by: allowed), others: [allowed], root: root,
                isGood: true),
            SampleChain(
                title: "an intermediate for servers", server: try .server(by: web), others: [web], root: root,
                isGood: true),
            SampleChain(
                title: "no purposes, no usage", server: try .server(by: root, usage: nil, purposes: []), root: root,
                isGood: true),
        ]
    }

    private static func ownFaults() throws -> [SampleChain] {
        let root = try ChainParty.authority("root")
        func bad(_ title: String, _ server: ChainParty) -> SampleChain {
            SampleChain(title: title, server: server, root: root, isGood: false)
        }
        var common = bad("a common name and no names", try .server(by: root, names: [], commonName: "localhost"))
        common.openssl = (true, "OpenSSL takes the common name where there are no names (RFC 6125 §6.4.4)")
        return [
            bad("expired", try .server(by: root, until: Date() - 60)),
            bad("not yet valid", try .server(by: root, from: Date() + 600)),
            bad("another name", try .server(by: root, names: [.dnsName("other.example")])),
            common,
            bad("for clients", try .server(by: root, purposes: [.clientAuth])),
            bad("for mail", try .server(by: root, purposes: [.emailProtection])),
            bad("an unknown critical extension", try .server(by: root, unknown: true)),
            bad("self-signed", try .server(by: nil)),
        ]
    }

    private static func issuerFaults() throws -> [SampleChain] {
        let root = try ChainParty.authority("root")
        func bad(_ title: String, _ issuer: ChainParty, root other: ChainParty? = nil) throws -> SampleChain {
            SampleChain(
                title: title, server: try .server(by: issuer), others: [issuer], root: other ?? root, isGood: false)
        }
        let short = try ChainParty.authority("short", constraints: .isCertificateAuthority(maxPathLength: 0))
        let forged = try ChainParty.authority("one", by: root)
        var missing = try bad("a missing intermediate", .authority("one", by: root))
        missing.others = []
        // RFC 5280 §6.1 uses only the name and the key of a trust anchor.
        let below = try ChainParty.authority("one", by: short)
        let long = SampleChain(
            title: "longer than its root says", server: try .server(by: below), others: [below], root: short,
            isGood: true,
            openssl: (false, "OpenSSL looks at the path length of a root, BoringSSL at that of what the server sent"))
        let middle = try ChainParty.authority("short", by: root, constraints: .isCertificateAuthority(maxPathLength: 0))
        var tooLong = try bad("a path that is too long", .authority("one", by: middle))
        tooLong.others.append(middle)
        let leaf = try ChainParty.server(by: root, commonName: "leaf")
        var addresses = try bad(
            "an address within the constraints",
            .authority(
                "one", by: root,
                nameConstraints: NameConstraints(permittedSubtrees: [.dnsName("localhost"), .ipAddress(loopback)])))
        addresses.openssl = (true, "BoringSSL knows no constraints on addresses, and refuses what it doesn't know")
        return [
            missing,
            try bad("an unknown root", .authority("one", by: .authority("unknown"))),
            try bad("an unknown root of the same name", .authority("one", by: .authority("root"))),
            try bad("an expired intermediate", .authority("one", by: root, until: Date() - 60)),
            try bad("an intermediate of the future", .authority("one", by: root, from: Date() + 600)),
            try bad(
                "an intermediate that is no authority",
                .authority("one", by: root, constraints: .notCertificateAuthority)),
            try bad("an intermediate that does not say what it is", .authority("one", by: root, constraints: nil)),
            try bad(
                "an intermediate that may not issue",
                .authority("one", by: root, usage: KeyUsage(digitalSignature: true))),
            try bad("an intermediate for mail", .authority("one", by: root, purposes: [.emailProtection])),
            try bad("an intermediate for clients", .authority("one", by: root, purposes: [.clientAuth])),
            try bad("an intermediate with an unknown critical extension", .authority("one", by: root, unknown: true)),
            try bad("issued by a server", leaf),
            long, tooLong,
            try bad(
                "a name outside the constraints",
                .authority(
                    "one", by: root, nameConstraints: NameConstraints(permittedSubtrees: [.dnsName("a.example")]))),
            try bad(
                "an excluded name",
                .authority("one", by: root, nameConstraints: NameConstraints(excludedSubtrees: [.dnsName("localhost")]))
            ),
            try bad(
                "an excluded address",
                .authority("one", by: root, nameConstraints: NameConstraints(excludedSubtrees: [.ipAddress(loopback)]))),
            addresses,
            SampleChain(
                title: "a forged signature",
                server: try .server(by: try ChainParty.authority("other", by: root).renamed(as: forged)),
                others: [forged], root: root, isGood: false),
        ]
    }

    /// Chains that make the search long.
    private static func searches() throws -> [SampleChain] {
        let root = try ChainParty.authority("root")
        let (one, two) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let first = try ChainParty.authority("one", key: one)
        let second = try ChainParty.authority("two", key: two, by: first)
        let loop = try ChainParty.authority("one", key: one, by: second)
        let key = P256.Signing.PrivateKey()
        let twins = try (0..<8).map {
            try ChainParty.authority("twin", key: key, names: [.dnsName("\($0).example")])
        }
        let known = try ChainParty.authority("twin", key: key, by: root)
        return [
            SampleChain(
                title: "a loop", server: try .server(by: second), others: [second, loop], root: root, isGood: false),
            SampleChain(
                title: "eight twins", server: try .server(by: twins[0]), others: twins, root: root, isGood: false),
            SampleChain(
                title: "eight twins of a known one", server: try .server(by: twins[0]), others: [known] + twins,
                root: root,
                isGood: true),
        ]
    }

    /// 127.0.0.1 only, in the form of name constraints: the address with its mask.
    private static let loopback = ASN1OctetString(contentBytes: [127, 0, 0, 1, 255, 255, 255, 255])
}
