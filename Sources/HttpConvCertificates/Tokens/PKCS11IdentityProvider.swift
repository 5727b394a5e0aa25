#if os(Linux)
import HttpConvConcurrency
import HttpConvFormats
import HttpConvPlatform
public import HttpConversation
import Synchronization

/// A client certificate on a PKCS#11 token, whose key stays there: a smart card, a USB key, or SoftHSM.
///
/// ```swift
/// let card = try PKCS11URI("pkcs11:token=work;object=alice")
/// login.add(clientCertificate: PKCS11IdentityProvider(card, isInteractive: true) { token, challenge in
///     await screen.askPIN(of: token.label, for: challenge.target.origin)
/// })
/// ```
/// The module is loaded when a server first asks for a certificate. A PIN is tried once: after a refusal the same PIN
/// is not given to the token again, because a few wrong ones lock it, and the PIN is asked for again. The accepted PIN
/// stays in memory, for keys that need it for each signature, and for a token that was removed and inserted again.
public struct PKCS11IdentityProvider: ClientCertProvider {
    /// Returns the PIN of a token; nil: the server gets no certificate.
    public typealias PIN =
        @Sendable (_ token: PKCS11Token, _ challenge: AuthenticationChallenge) async throws -> String?

    private struct State {
        var identity: ClientIdentity?
        var refusedPIN: Redacted<String>?
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let uri: PKCS11URI
    private let origins: [Origin]
    private let pin: PIN
    private let shared = Shared()
    public let isInteractive: Bool

    /// Creates a provider of the certificate that a name finds.
    ///
    /// - Parameters:
    ///   - uri: the name; must match one certificate with a private key
    ///   - origins: the servers that it is for, and https on the same hosts; empty: the origin of the URL that the
    ///     application requests, but nothing that a redirect or a login leads to
    ///   - isInteractive: whether a person is asked for the PIN
    ///   - pin: called for the PIN if the token needs one, the name has none, and the token has no keypad
    public init(
        _ uri: PKCS11URI, for origins: [Origin] = [], isInteractive: Bool = false, pin: @escaping PIN = { _, _ in nil }
    ) {
        self.uri = uri
        self.origins = origins
        self.isInteractive = isInteractive
        self.pin = pin
    }

    public func serves(_ destination: CredentialDestination) -> Bool { destination.isServed(by: origins) }

    public func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        if let known = shared.state.withLock(\.identity) { return .identity(known) }
        do {
            guard let identity = try await find(challenge) else { return .noCertificate }
            shared.state.withLock { $0.identity = identity }
            return .identity(identity)
        } catch let error as CertificateError {
            throw error.inConversation(challenge)
        }
    }

    // MARK: Finding

    /// A certificate on a token.
    private struct Found: Sendable {
        let token: PKCS11Token
        let id: [UInt8]
        let certificate: [UInt8]
    }

    /// The longest chain of issuers that is read from a token.
    private static let mostIssuers = 8

    private func find(_ challenge: AuthenticationChallenge) async throws -> ClientIdentity? {
        let module = try await Blocking.run { [uri] () throws(CertificateError) in try PKCS11Module.load(uri.modulePath)
        }
        let tokens = try await module.run { [uri] calls in PKCS11Session.tokens(calls).filter { uri.matches($0) } }
        guard !tokens.isEmpty else {
            throw CertificateError(.tokenRemoved, "No token matches \(uri): is it inserted, and its module configured?")
        }
        var found = try await module.run { [uri] calls in try tokens.flatMap { try Self.certificates(uri, $0, calls) } }
        var accepted: Redacted<String>?
        // A token may show its certificates only to its owner. Only one named token gets a PIN.
        if found.isEmpty, tokens.count == 1, tokens[0].needsLogin {
            guard let pin = try await logIn(tokens[0], module, challenge) else { return nil }
            accepted = pin
            found = try await module.run { [uri] calls in try Self.certificates(uri, tokens[0], calls) }
        }
        guard let certificate = found.first else {
            throw CertificateError(
                .certificateWithoutKey,
                "No certificate on the tokens matches \(uri), of \(tokens.count) tokens that do.")
        }
        guard found.count == 1 else {
            let ids = found.prefix(5).map { "\($0.token), id \(Hexadecimal.percentEncoded($0.id) { _ in false })" }
            throw CertificateError(
                .ambiguous,
                "\(uri) matches \(found.count) certificates: add an id or a token. (\(ids.joined(separator: "; ")))")
        }
        if accepted == nil, certificate.token.needsLogin {
            guard let pin = try await logIn(certificate.token, module, challenge) else { return nil }
            accepted = pin
        }
        return try await identity(certificate, module, accepted)
    }

    private static func certificates(
        _ uri: PKCS11URI, _ token: PKCS11Token, _ calls: PKCS11Module.Calls
    ) throws -> [Found] {
        let session = try PKCS11Session(calls, token)
        var wanted: [PKCS11Session.Attribute: [UInt8]] = [:]
        wanted[.label] = uri.attributes[.object]
        wanted[.id] = uri.attributes[.id]
        let found = try session.objects(.certificate, wanted).compactMap { object -> Found? in
            guard let id = session.value(.id, of: object), !id.isEmpty,
                let certificate = session.value(.value, of: object)
            else { return nil }
            return Found(token: token, id: id, certificate: certificate)
        }
        // Certificates of authorities lie beside those of the owner. Keys are hidden until the login.
        let withKey = try found.filter { try !session.objects(.privateKey, [.id: $0.id]).isEmpty }
        return withKey.isEmpty ? found.filter { !isAuthority($0.certificate) } : withKey
    }

    private static func isAuthority(_ certificate: [UInt8]) -> Bool { CertificateSummary.isAuthority(der: certificate) }

    // MARK: The PIN

    /// Logs in with a PIN, which the module remembers for all sessions of this process.
    ///
    /// - Returns: the accepted PIN, empty for a token with a keypad; nil: there is none
    private func logIn(
        _ token: PKCS11Token, _ module: PKCS11Module, _ challenge: AuthenticationChallenge
    ) async throws -> Redacted<String>? {
        guard !token.isLocked else { throw PKCS11Result.pinLocked.error("logging in", token) }
        var pin: Redacted<String>?
        if !token.hasKeypad {
            pin = try uri.givenPIN()
            if pin == nil { pin = try await self.pin(token, challenge).map { Redacted($0) } }
            guard pin != nil else { return nil }
        }
        try await module.run { [pin] calls in
            try withPIN(pin, of: token) { pin in try PKCS11Session(calls, token).logIn(pin) }
        }
        return pin ?? Redacted("")
    }

    /// Runs calls that may log in, on the module's queue. Throws instead if the token has refused the PIN.
    ///
    /// After a refusal the next challenge asks for the PIN again.
    ///
    /// - Parameter pin: nil if it is entered on the device
    private func withPIN<Value>(
        _ pin: Redacted<String>?, of token: PKCS11Token, _ body: (PKCS11Session.PIN) throws -> Value
    ) throws -> Value {
        guard pin == nil || pin != shared.state.withLock(\.refusedPIN) else {
            throw PKCS11Result.wrongPIN.error("logging in", token)
        }
        guard pin?.value.isEmpty != true else {
            throw CertificateError(.wrongPassphrase, "The PIN of the \(token) is empty, so it is not tried.")
        }
        do {
            return try body(PKCS11Session.PIN(text: pin, isPrepared: !isInteractive || uri.hasPIN))
        } catch let error as CertificateError where error.code == .wrongPassphrase {
            shared.state.withLock {
                $0.refusedPIN = pin
                $0.identity = nil
            }
            throw error
        }
    }

    // MARK: The identity

    private func identity(
        _ found: Found, _ module: PKCS11Module, _ pin: Redacted<String>?
    ) async throws -> ClientIdentity {
        let signing = try PKCS11Signing(certificate: found.certificate)
        let summary = try CertificateSummary(der: found.certificate)
        let issuers = try await module.run { calls in try Self.issuers(of: found, calls) }
        let id = "\(found.token.serial)/\(Hexadecimal.text(summary.fingerprint))"
        let pin = found.token.hasKeypad ? nil : pin
        let signer = KeySigner(id: id, algorithms: signing.algorithms) { message, algorithm in
            let (input, mechanism) = PKCS11Signing.input(message, algorithm)
            let answer = try await module.run { calls in
                try withPIN(pin, of: found.token) { pin in try Self.sign(input, mechanism, found, pin: pin, calls) }
            }
            return try signing.signature(answer, of: message, algorithm)
        }
        return ClientIdentity(
            certificates: [found.certificate] + issuers, privateKey: .signer(signer), summary: summary)
    }

    /// The certificates of issuers that are on the token.
    private static func issuers(of found: Found, _ calls: PKCS11Module.Calls) throws -> [[UInt8]] {
        let session = try PKCS11Session(calls, found.token)
        var chain = [found.certificate]
        while chain.count <= mostIssuers, let last = chain.last, let issuer = CertificateSummary.issuerName(der: last),
            let object = try session.objects(.certificate, [.subject: issuer]).first,
            let certificate = session.value(.value, of: object), !chain.contains(certificate)
        {
            chain.append(certificate)
        }
        return Array(chain.dropFirst())
    }

    private static func sign(
        _ input: [UInt8], _ mechanism: PKCS11Mechanism, _ found: Found, pin: PKCS11Session.PIN,
        _ calls: PKCS11Module.Calls
    ) throws -> [UInt8] {
        let session = try PKCS11Session(calls, found.token)
        var keys = try session.objects(.privateKey, [.id: found.id])
        // A token that was removed and inserted again has forgotten the login.
        if keys.isEmpty, found.token.needsLogin {
            try session.logIn(pin)
            keys = try session.objects(.privateKey, [.id: found.id])
        }
        guard let key = keys.first else {
            throw CertificateError(.certificateWithoutKey, "The \(found.token) has no private key for its certificate.")
        }
        return try session.sign(input, mechanism, with: key, pin: pin)
    }
}

extension PKCS11IdentityProvider: CustomStringConvertible, CustomReflectable {
    /// The name, without the PIN.
    public var description: String { "client certificate \(uri)" }
    public var customMirror: Mirror { Mirror(self, children: ["uri": uri.description]) }
}
#endif
