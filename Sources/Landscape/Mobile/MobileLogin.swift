import HTTPTypes
import HummingbirdCore
import X509

/// How a mobile server learns who asks, by the word in its root: those of ``OTPVariant``, perhaps with `-otp` behind for a
/// one-time code as well, or `certificate`.
struct MobileLogin: Sendable {
    private enum Kind: Sendable {
        case first(OTPVariant, code: String?)
        case certificate
    }

    private let kind: Kind

    /// nil if the word is unknown.
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
