import HttpConversation
import NIOCore
import NIOSSL

/// A key that cannot be read, for NIOSSL: it signs handshakes outside the event loops.
struct SigningKey: NIOSSLCustomPrivateKey, Hashable {
    let signer: KeySigner

    var signatureAlgorithms: [SignatureAlgorithm] {
        signer.algorithms.map { SignatureAlgorithm(rawValue: $0.rawValue) }
    }

    func sign(channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        let promise = channel.eventLoop.makePromise(of: ByteBuffer.self)
        guard let algorithm = KeySigner.Algorithm(rawValue: algorithm.rawValue) else {
            promise.fail(NIOSSLExtraError.unknownPrivateKeyFileType)
            return promise.futureResult
        }
        let signing = Task { [signer] in
            do {
                promise.succeed(ByteBuffer(bytes: try await signer.sign(Array(data.readableBytesView), algorithm)))
            } catch {
                promise.fail(SignatureFailure(cause: error))
            }
        }
        channel.closeFuture.whenComplete { _ in signing.cancel() }
        return promise.futureResult
    }

    func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        // Only servers decrypt, for the key exchange of TLS 1.2 with RSA.
        channel.eventLoop.makeFailedFuture(NIOSSLExtraError.unknownPrivateKeyFileType)
    }
}
