/// A piece of a body on its way; the body writer is told when it was taken.
struct BodyChunk: Sendable {
    let bytes: [UInt8]
    let isLast: Bool
    let continuation: UnsafeContinuation<Bool, Never>
}
