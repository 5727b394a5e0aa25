import Foundation
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import HttpConversationTesting
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import HttpConversationNIO

/// A pin refuses before the client's certificate is sent. Under TLS 1.2 with BoringSSL's verification it cannot: the
/// certificate is sent before the server's last message.
@Suite(.serialized, .timeLimit(.minutes(1))) struct EarlyPinTests {
    /// Yields to other work of its thread many times.
    private struct Slow: ChallengeFilter {
        let handles: Set<AuthenticationMethod> = [.serverTrust]

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer {
            for _ in 0..<1000 { await Task.yield() }
            return .notHandled
        }
    }

    /// Answers any bytes.
    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure"
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    @Test(arguments: [(TLSVersion.tlsv13, true), (.tlsv13, false), (.tlsv12, false)])
    func aWrongPinRefusesBeforeOurCertificateLeaves(version: TLSVersion, verifies: Bool) async throws {
        let authority = try TestAuthority()
        let shown = Counter()
        let closed = Counter()
        var configuration = try authority.serverConfiguration()
        configuration.minimumTLSVersion = version
        configuration.maximumTLSVersion = version
        configuration.certificateVerification = .noHostnameVerification
        let context = try NIOSSLContext(configuration: configuration)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.closeFuture.whenComplete { _ in closed.add() }
                return channel.eventLoop.makeCompletedFuture {
                    let tls = NIOSSLServerHandler(
                        context: context,
                        customVerificationCallback: { _, promise in
                            shown.add()
                            promise.succeed(.certificateVerified)
                        })
                    try channel.pipeline.syncOperations.addHandlers([tls, Answering()])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = "https://127.0.0.1:\(listener.localAddress?.port ?? 0)/"
        let transport = NIOTransport.make {
            $0.tls.trustRoots = .pem(authority.pem)
            $0.tls.verifiesCertificates = verifies
        }
        let identity = try authority.identity("alice")
        let wrong = try PublicKeyPinFilter("sha256//" + Data(repeating: 7, count: 32).base64EncodedString())
        let manager = { (filters: [any ChallengeFilter]) in
            transport.manager(CountingIdentities { _ in .identity(identity) }) { configuration in
                for filter in filters { configuration.challengeFilters.add(filter) }
            }
        }
        var pin: String?
        for filters in [[wrong], [Slow(), wrong]] as [[any ChallengeFilter]] {
            let error = await manager(filters).failure(url)
            #expect(error?.code == .publicKeyNotPinned, "\(String(describing: error))")
            pin = (error?.underlyingError as? ServerTrustError)?.trust.summary?.pin
        }
        await closed.wait(for: 2)
        #expect(shown.value == 0)
        let right = try PublicKeyPinFilter(try #require(pin))
        #expect(try await manager([Slow(), right]).text(url) == "secure")
        #expect(shown.value == 1)
        await transport.shutdown()
        try await listener.close()
    }
}
