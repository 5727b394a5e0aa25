public import HttpConvPlatform
public import HttpConversation

/// Returns the passphrase of a file. Called when a server wants the certificate in it and the file has a passphrase.
///
/// If it returns nil, the server gets no certificate.
///
/// - Parameters:
///   - file: the file
///   - challenge: the server's request for a certificate
public typealias IdentityPassphrase =
    @Sendable (_ file: URL, _ challenge: AuthenticationChallenge) async throws -> String?
