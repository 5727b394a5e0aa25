public import Foundation
public import HttpConversation

/// Asked for the passphrase of a file, when a server wants the certificate in it and the file has one.
///
/// Returns nil where there is none to be had: the server is then told that there is no certificate.
///
/// - Parameters:
///   - file: the file
///   - challenge: the server's question
public typealias IdentityPassphrase =
    @Sendable (_ file: URL, _ challenge: AuthenticationChallenge) async throws -> String?
