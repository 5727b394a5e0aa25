import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationNIO
import SwiftASN1
import Testing
import X509

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    private static let answering: RawServer.Script = { connection in
        while true {
            _ = try await connection.readHead()
            try await connection.respond("secure")
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"]) func trustedServer(host: String) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        try await RawServer.run(tls: authority.serverContext(), script: Self.answering) { server in
            for _ in 0..<2 {
                let text = try await transport.text(.get, "https://\(host):\(server.port)/")
                #expect(text == "secure")
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func rootsFromFile() async throws {
        let authority = try TestAuthority()
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        try Data(authority.pem).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = NIOTransport.make { $0.tls.trustRoots = .file(file) }
        try await RawServer.run(tls: authority.serverContext(), script: Self.answering) { server in
            let text = try await transport.text(.get, "https://localhost:\(server.port)/")
            #expect(text == "secure")
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"]) func certificateForAnotherName(host: String) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let context = try authority.serverContext(
            for: [.dnsName("other.example"), .ipAddress(.init(contentBytes: [127, 0, 0, 2]))])
        try await RawServer.run(tls: context, script: Self.answering) { server in
            let error = await transport.failure(.get, "https://\(host):\(server.port)/")
            #expect(error?.code == .certificateNotTrusted, "\(String(describing: error))")
            #expect(error?.message.contains("\"\(host)\"") == true)
        }
    }

    @Test func expiredCertificate() async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        try await RawServer.run(tls: authority.serverContext(notAfter: Date() - 60), script: Self.answering) { server in
            let error = await transport.failure(.get, "https://localhost:\(server.port)/")
            #expect(error?.code == .certificateNotTrusted, "\(String(describing: error))")
            #expect(error?.message.contains("expired") == true)
        }
    }

    @Test func unknownIssuer() async throws {
        let other = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(other.pem) }
        try await RawServer.run(tls: TestAuthority().serverContext(), script: Self.answering) { server in
            let error = await transport.failure(.get, "https://localhost:\(server.port)/")
            #expect(error?.code == .certificateNotTrusted, "\(String(describing: error))")
            #expect(error?.message.contains("localhost:\(server.port)") == true)
        }
    }

    @Test func uncheckedOnlyByChoice() async throws {
        let transport = NIOTransport.make { $0.tls.verifiesCertificates = false }
        let context = try TestAuthority().serverContext(for: [.dnsName("other.example")])
        try await RawServer.run(tls: context, script: Self.answering) { server in
            let text = try await transport.text(.get, "https://localhost:\(server.port)/")
            #expect(text == "secure")
            let strict = await NIOTransport.make().failure(.get, "https://localhost:\(server.port)/")
            #expect(strict?.code == .certificateNotTrusted)
        }
    }

    @Test(arguments: [
        NIOTransport.TLSSettings.TrustRoots.file(URL(filePath: "/nonexistent/ca.pem")), .pem(Array("no PEM".utf8)),
        .file(URL(filePath: "/dev/null")),
    ]) func unusableRoots(roots: NIOTransport.TLSSettings.TrustRoots) async throws {
        let transport = NIOTransport.make { $0.tls.trustRoots = roots }
        let error = await transport.failure(.get, "https://localhost:1/")
        #expect(error?.code == .trustRootsUnusable)
    }

    @Test func serverWithoutTLS() async throws {
        try await RawServer.run { connection in
            _ = try await connection.read()
            try await connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        } _: { server in
            let error = await NIOTransport.make().failure(.get, "https://localhost:\(server.port)/")
            #expect(error?.code == .tlsFailed)
        }
    }

    @Test func serverThatClosesInTheHandshake() async throws {
        try await RawServer.run { connection in
            _ = try await connection.read()
        } _: { server in
            let error = await NIOTransport.make().failure(.get, "https://localhost:\(server.port)/")
            #expect(error?.code == .tlsFailed)
        }
    }
}
