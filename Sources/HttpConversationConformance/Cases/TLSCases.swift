import Foundation
import HTTPTypes
import HttpConversation
import NIOSSL
import Synchronization
import X509

extension CaseList {
    static let secure = answering(latin1("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure"))

    static let tls: [ConformanceCase] =
        ["localhost", "127.0.0.1"].flatMap { host in
            [
                ConformanceCase(.tls, "trusted-\(slug(host))", "a certificate for \(host) is trusted", on: [.http1]) {
                    run in
                    try await run.raw(tls: SuiteAuthority.context(), host: host, secure) { client in
                        for _ in 0..<2 { try await client.expect("secure") }
                        try client.expectConnections(1)
                    }
                },
                ConformanceCase(
                    .tls, "other-name-than-\(slug(host))", "a certificate for another name than \(host)", on: [.http1]
                ) { run in
                    let context = try SuiteAuthority.authority.get().serverContext(
                        for: [.dnsName("other.example"), .ipAddress(.init(contentBytes: [127, 0, 0, 2]))])
                    try await run.raw(tls: context, host: host, secure) { client in
                        try await client.expectFailure(.certificateNotTrusted)
                    }
                },
            ]
        } + [
            ConformanceCase(.tls, "expired", "an expired certificate", on: [.http1]) { run in
                let context = try SuiteAuthority.authority.get().serverContext(notAfter: Date() - 60)
                try await run.raw(tls: context, host: "localhost", secure) { client in
                    try await client.expectFailure(.certificateNotTrusted)
                }
            },
            ConformanceCase(.tls, "not-yet-valid", "a certificate that is not valid yet", on: [.http1]) { run in
                let context = try SuiteAuthority.authority.get().serverContext(notBefore: Date() + 600)
                try await run.raw(tls: context, host: "localhost", secure) { client in
                    try await client.expectFailure(.certificateNotTrusted)
                }
            },
            ConformanceCase(.tls, "unknown-issuer", "a certificate of another authority", on: [.http1]) { run in
                try await run.raw(tls: TestAuthority().serverContext(), host: "localhost", secure) { client in
                    try await client.expectFailure(.certificateNotTrusted)
                    try await client.expectFailure(.certificateNotTrusted)
                }
            },
            ConformanceCase(.tls, "nothing-is-sent", "nothing is sent to a server that is not trusted", on: [.http1]) {
                run in
                let received = Counter()
                try await run.raw(tls: TestAuthority().serverContext(), host: "localhost") { connection in
                    while let bytes = try await connection.read() { received.add(bytes.count) }
                } _: { client in
                    try await client.expectFailure(.certificateNotTrusted, fields: [.authorization: "Basic c2VjcmV0"])
                    try expect(received.value, is: 0, "bytes at the server")
                }
            },
            ConformanceCase(.tls, "no-tls", "a server that speaks no TLS", on: [.http1]) { run in
                try await run.raw { connection in
                    _ = try await connection.read()
                    try await connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
                } _: { client in
                    try await client.at("https://localhost:\(try client.server.port)").expectFailure(.tlsFailed)
                }
            },
            ConformanceCase(.tls, "closed-in-the-handshake", "a server that goes in the handshake", on: [.http1]) {
                run in
                try await run.raw {
                    _ = try await $0.read()
                } _: { client in
                    try await client.at("https://localhost:\(try client.server.port)").expectFailure(.tlsFailed)
                }
            },
            ConformanceCase(
                .tls, "cut-without-closing", "a connection that ends without close_notify does not end a body",
                on: [.http1]
            ) { run in
                let received = Gate()
                try await run.raw(tls: SuiteAuthority.context(), host: "localhost") { connection in
                    _ = try await connection.readHead()
                    try await connection.write("HTTP/1.1 200 OK\r\n\r\nabc")
                    await received.wait()
                    try await connection.cutTLS()
                } _: { client in
                    let body = try await client.send().body
                    try expect(try await body.next(), is: Array("abc".utf8), "the first chunk")
                    received.open()
                    do throws(ConversationError) {
                        while try await body.next() != nil {}
                        throw ConversationError(.internalInconsistency, "It ended as if it were whole.")
                    } catch { try Client.check(error, [.receiveFailed, .bodyCut]) }
                }
            },
            policy("asked", "a trust policy is asked about good certificates, too", isKnown: true, refuses: false),
            policy("refuses", "a trust policy may refuse a good certificate", isKnown: true, refuses: true),
            policy("accepts", "a trust policy may accept an unknown issuer", isKnown: false, refuses: false),
            policy("refuses-unknown", "a trust policy may refuse an unknown issuer", isKnown: false, refuses: true),
            ConformanceCase(
                .tls, "terms-authority", "an authority that a policy names for an origin is trusted there",
                on: [.http1],
                needs: .serverTrust
            ) { run in
                let own = try TestAuthority()
                let authority = try NIOSSLCertificate.fromPEMBytes(own.pem).map { try $0.toDERBytes() }
                try await run.raw(tls: own.serverContext(), host: "localhost", secure) { client in
                    try await client.expect("secure") {
                        $0.serverTrust = policy(at: "localhost") { $0.authorities = authority }
                    }
                    try await client.expectFailure(.certificateNotTrusted) {
                        $0.serverTrust = policy(at: "other.example") { $0.authorities = authority }
                    }
                }
            },
            ConformanceCase(
                .tls, "terms-key", "a key that a policy accepts for an origin is compared exactly", on: [.http1],
                needs: .serverTrust
            ) { run in
                let own = try TestAuthority()
                try await run.raw(tls: own.serverContext(), host: "localhost", secure) { client in
                    let seen = Mutex<[UInt8]>([])
                    try await client.expectFailure(.certificateNotTrusted) {
                        $0.serverTrust = ServerTrustPolicy { trust, origin in
                            seen.withLock { $0 = trust.summary?.publicKeyFingerprint ?? [] }
                            throw trust.failure(at: origin)
                        }
                    }
                    let key = seen.withLock { $0 }
                    var other = key
                    if !other.isEmpty { other[0] ^= 1 }
                    try await client.expect("secure") {
                        $0.serverTrust = policy(at: "localhost") { $0.acceptedKeys = [key] }
                    }
                    for (host, wrong) in [("localhost", other), ("other.example", key)] {
                        try await client.expectFailure(.certificateNotTrusted) {
                            $0.serverTrust = policy(at: host) { $0.acceptedKeys = [wrong] }
                        }
                    }
                }
            },
            identity(
                "not-asked", "without a server that wants a certificate nobody is asked", wants: false, .success(nil)),
            identity(
                "none", "a server that wants a certificate may be told that there is none", wants: true, .success(nil)),
            identity(
                "fails", "a provider that fails ends the exchange with its error", wants: true,
                .failure(ConversationError(.clientCertificateUnusable, "The provider of the case fails."))),
            ConformanceCase(
                .tls, "identity-cancelled", "waiting for a certificate ends at once", on: [.http1],
                needs: .clientCertificates
            ) { run in
                let asked = Gate()
                try await run.raw(tls: wantingCertificates(), host: "localhost", secure) { client in
                    let source = ClientIdentitySource {
                        asked.open()
                        try await Task.sleep(for: .seconds(3600))
                        return nil
                    }
                    let task = Task { await client.failure { $0.clientIdentity = source } }
                    await asked.wait()
                    try await Client.expectCancelled(task)
                    try await client.expectClosed(1)
                }
            },
        ]

    private static func policy(_ name: String, _ title: String, isKnown: Bool, refuses: Bool) -> ConformanceCase {
        ConformanceCase(.tls, "policy-\(name)", title, on: [.http1], needs: .serverTrust) { run in
            let seen = Mutex<[(Set<ServerTrust.Problem>, String)]>([])
            let context = isKnown ? try SuiteAuthority.context() : try TestAuthority().serverContext()
            try await run.raw(tls: context, host: "localhost", secure) { client in
                let policy = ServerTrustPolicy { trust, origin in
                    seen.withLock { $0.append((trust.problems, origin.host)) }
                    if refuses { throw ConversationError(.publicKeyNotPinned, "The policy of the case refuses.") }
                }
                if refuses {
                    try await client.expectFailure(.publicKeyNotPinned) { $0.serverTrust = policy }
                } else {
                    try await client.expect("secure") { $0.serverTrust = policy }
                }
                let (problems, host) = seen.withLock(\.first) ?? ([], "nobody was asked")
                try expect(problems, is: isKnown ? [] : [.unknownIssuer], "the problems that it was told")
                try expect(host, is: "localhost", "the host that it was told")
                // A certificate accepted by one policy is not trusted without it.
                if !isKnown { try await client.expectFailure(.certificateNotTrusted) }
            }
        }
    }

    /// A policy that only adds its terms for one host.
    private static func policy(at host: String, _ make: (inout ServerTrustTerms) -> Void) -> ServerTrustPolicy {
        var terms = ServerTrustTerms()
        make(&terms)
        return ServerTrustPolicy { [terms] in
            $0.host == host ? terms : ServerTrustTerms()
        } _: { trust, origin in
            guard trust.problems.isEmpty else { throw trust.failure(at: origin) }
        }
    }

    private static func wantingCertificates() throws -> NIOSSLContext {
        let authority = try SuiteAuthority.authority.get()
        var configuration = try authority.serverConfiguration()
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(authority.pem))
        return try NIOSSLContext(configuration: configuration)
    }

    private static func identity(
        _ name: String, _ title: String, wants: Bool, _ answer: Result<ClientIdentity?, ConversationError>
    ) -> ConformanceCase {
        ConformanceCase(.tls, "identity-\(name)", title, on: [.http1], needs: .clientCertificates) { run in
            let asked = Counter()
            let context = wants ? try wantingCertificates() : try SuiteAuthority.context()
            try await run.raw(tls: context, host: "localhost", secure) { client in
                let source = ClientIdentitySource {
                    asked.add()
                    return try answer.get()
                }
                if case .failure(let error) = answer {
                    try await client.expectFailure(error.code) { $0.clientIdentity = source }
                } else {
                    try await client.expect("secure") { $0.clientIdentity = source }
                }
                try expect(asked.value, is: wants ? 1 : 0, "questions")
            }
        }
    }
}
