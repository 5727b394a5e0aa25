import HttpConversation

/// The hash of a request body, for `qop=auth-int` (RFC 7616 §3.4.3).
enum DigestBodyHash {
    /// Reads the body once, in constant memory; it is read a second time when it is sent.
    ///
    /// - Throws: ``ConversationError/Code/bodyNotReplayable`` for a one-shot stream, which cannot be read twice
    static func hex(
        _ body: RequestBody?, _ algorithm: DigestAlgorithm, for space: ProtectionSpace
    ) async throws(ConversationError) -> String {
        var hasher = algorithm.hasher()
        do {
            guard let body else { return hasher.hex() }
            guard body.isRestartable else {
                throw ConversationError(
                    .bodyNotReplayable,
                    """
                    \(space) wants the request body to be part of the login (Digest with qop=auth-int only), so it has \
                    to be read before it is sent, which a one-shot stream cannot be. Use bytes, a file or a \
                    restartable stream.
                    """)
            }
            let stream = try await body.open().stream()
            while let chunk = try await stream.next() { hasher.update(chunk) }
        } catch {
            throw .wrapping(error, as: .bodyUnavailable, "The request body cannot be read.")
        }
        return hasher.hex()
    }
}
