import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import SwiftASN1
import TestSupport
import Testing
import X509

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    @Test func rootsFromFile() async throws {
        let authority = try TestAuthority()
        let file = TemporaryPlace.unused("roots.pem")
        try Data(authority.pem).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = NIOTransport.make { $0.tls.trustRoots = .file(file) }
        try await RawServer.run(tls: authority.serverContext(), script: RawServer.answering()) { server in
            let text = try await transport.text(.get, "https://localhost:\(server.port)/")
            #expect(text == "secure")
        }
    }

    @Test func uncheckedServersOnlyByChoice() async throws {
        let transport = NIOTransport.make { $0.tls.verifiesCertificates = false }
        let context = try TestAuthority().serverContext(for: [.dnsName("other.example")])
        try await RawServer.run(tls: context, script: RawServer.answering()) { server in
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
}
