#if !canImport(FoundationNetworking)
import HttpConvPlatform
package import HttpConversation
package import Security

/// The system's evaluation of a server's certificates.
package struct TrustEvaluation {
    /// The result in the library's terms.
    private let serverTrust: ServerTrust

    /// Evaluates on another thread: it may fetch certificates and revocations, so it blocks.
    ///
    /// - Parameter authorities: additional anchors, in DER
    package nonisolated(nonsending) static func judge(_ trust: SecTrust, authorities: [[UInt8]]) async -> ServerTrust {
        // The asker waits for the answer, and does not use `trust` meanwhile.
        nonisolated(unsafe) let trust = trust
        return await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: TrustEvaluation(trust, authorities: authorities).serverTrust)
            }
        }
    }

    private init(_ trust: SecTrust, authorities: [[UInt8]]) {
        let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
        if !anchors.isEmpty {
            SecTrustSetAnchorCertificates(trust, anchors as CFArray)
            SecTrustSetAnchorCertificatesOnly(trust, false)
        }
        var error: CFError?
        let isTrusted = SecTrustEvaluateWithError(trust, &error)
        let chain = (SecTrustCopyCertificateChain(trust) as? [SecCertificate]) ?? []
        let certificates = chain.map { Array(SecCertificateCopyData($0) as Data) }
        let summary = certificates.first.flatMap { try? CertificateSummary(der: $0) }
        serverTrust = ServerTrust(
            certificates: certificates, summary: summary,
            problems: isTrusted ? [] : Self.problems(error.map { CFErrorGetCode($0) }, summary))
    }

    /// The problems of a chain. The code names only the first one, so the dates are checked as well.
    private static func problems(_ code: Int?, _ summary: CertificateSummary?) -> Set<ServerTrust.Problem> {
        var problems: Set<ServerTrust.Problem> = []
        let now = Date()
        if let summary, summary.notAfter < now { problems.insert(.expired) }
        if let summary, now < summary.notBefore { problems.insert(.notYetValid) }
        switch code.map({ OSStatus(truncatingIfNeeded: $0) }) {
        case errSecHostNameMismatch: problems.insert(.wrongName)
        case errSecNotTrusted, errSecCreateChainFailed: problems.insert(.unknownIssuer)
        case errSecCertificateExpired: problems.insert(.expired)
        case errSecCertificateNotValidYet: problems.insert(.notYetValid)
        default: break
        }
        return problems.isEmpty ? [.invalid] : problems
    }
}
#endif
