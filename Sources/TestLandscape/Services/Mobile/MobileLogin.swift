import HTTPTypes
import HummingbirdCore
import X509

/// The login at a mobile server, by the word in its root: a word of ``OTPVariant``, optionally with `-otp` behind for a
/// one-time code, or `certificate`.
struct MobileLogin: Sendable {
    private enum Kind: Sendable {
        case first(OTPVariant, code: String?)
        case certificate
    }

    private let kind: Kind

    /// Reads a word; nil if it is unknown.
    init?(_ word: String) {
        if word == "certificate" {
            kind = .certificate
            return
        }
        let hasCode = word.hasSuffix("-otp")
        let first = String(hasCode ? word.dropLast(4) : word[...])
        guard let variant = OTPVariant(first) else { return nil }
        kind = .first(variant, code: hasCode ? first : nil)
    }

    func progress(_ exchange: ServerExchange) async throws -> OTPVariant.Progress {
        switch kind {
        case .certificate:
            let names = try await exchange.connection.clientCertificate()?.subject.lazy.flatMap { $0 }
            let name = names?.first { $0.type == .RDNAttributeType.commonName }
            guard let name else { return .challenged(.text("not without a certificate\n", status: .forbidden)) }
            return .passed(user: "\(name.value)")
        case .first(let variant, let code):
            let progress = try await variant.progress(exchange)
            guard let code, case .passed(let user) = progress else { return progress }
            return OTPResource(exchange: exchange).challenge(user, code, variant).map { .challenged($0) } ?? progress
        }
    }
}
