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
        let whole = Self.code(of: trust)
        let chain = (SecTrustCopyCertificateChain(trust) as? [SecCertificate]) ?? []
        let certificates = chain.map { Array(SecCertificateCopyData($0) as Data) }
        let summary = certificates.first.flatMap { try? CertificateSummary(der: $0) }
        guard let whole else {
            serverTrust = ServerTrust(certificates: certificates, summary: summary, problems: [])
            return
        }
        let now = Date()
        let moment = TrustFindings.moment(of: summary, now: now)
        var policies: CFArray?
        SecTrustCopyPolicies(trust, &policies)
        let findings = TrustFindings(
            whole: whole,
            issuer: Self.code(of: chain, SecPolicyCreateBasicX509(), at: moment, anchors),
            name: Self.code(of: chain, policies, at: moment, chain.suffix(1), isAlone: true))
        serverTrust = ServerTrust(
            certificates: certificates, summary: summary, problems: findings.problems(of: summary, now: now))
    }

    /// The code of an evaluation's error; nil: the chain is trusted.
    private static func code(of trust: SecTrust) -> OSStatus? {
        var error: CFError?
        guard !SecTrustEvaluateWithError(trust, &error) else { return nil }
        return error.map { OSStatus(truncatingIfNeeded: CFErrorGetCode($0)) } ?? errSecInternalError
    }

    /// Evaluates a chain by itself, so that the server's own evaluation stays as it is.
    ///
    /// - Parameters:
    ///   - policies: one policy, or a list of them
    ///   - anchors: additional anchors
    ///   - isAlone: whether there are no others
    private static func code(
        of chain: [SecCertificate], _ policies: CFTypeRef?, at moment: Date, _ anchors: [SecCertificate],
        isAlone: Bool = false
    ) -> OSStatus? {
        var copy: SecTrust?
        guard !chain.isEmpty, SecTrustCreateWithCertificates(chain as CFArray, policies, &copy) == errSecSuccess,
            let copy
        else { return nil }
        SecTrustSetVerifyDate(copy, moment as CFDate)
        SecTrustSetNetworkFetchAllowed(copy, false)
        if !anchors.isEmpty {
            SecTrustSetAnchorCertificates(copy, anchors as CFArray)
            SecTrustSetAnchorCertificatesOnly(copy, isAlone)
        }
        return code(of: copy)
    }
}
#endif
