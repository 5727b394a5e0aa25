package import X509

/// Searches for a path from a certificate to a trusted authority.
///
/// A peer can send certificates that lead to each other in every order, with a number of paths that is exponential in
/// the length of its list. This search visits each certificate once, and limits certificates, depth, signature checks
/// and time (security rule S29). It returns a shortest path or none. It checks only names and signatures: the
/// platform's verifier decides whether the path may be used.
package struct ChainSearch {
    /// The maximum number of a peer's certificates that are considered.
    package static let maximumCertificates = 12
    /// The maximum number of signatures that are checked.
    package static let maximumSignatures = 48

    private let roots: [Certificate]
    private let deadline: ContinuousClock.Instant
    /// The maximum number of certificates between the first one and the authority.
    private let maximumIntermediates: Int
    private var signatures = 0

    /// - Parameters:
    ///   - roots: the trusted authorities
    ///   - deadline: when the search gives up
    package init(to roots: [Certificate], until deadline: ContinuousClock.Instant, maximumIntermediates: Int = 8) {
        self.roots = roots
        self.deadline = deadline
        self.maximumIntermediates = maximumIntermediates
    }

    /// Returns the certificates from the leaf to the authority, both included; nil if there is no path within the
    /// limits.
    package mutating func path(from leaf: Certificate, among others: [Certificate]) -> [Certificate]? {
        if roots.contains(leaf) { return [leaf] }
        var left = Array(others.prefix(Self.maximumCertificates))
        var paths = [[leaf]]
        for length in 0...maximumIntermediates {
            var longer: [[Certificate]] = []
            for path in paths {
                guard let tip = path.last else { continue }
                for root in roots where root.subject == tip.issuer && hasSigned(root, tip) { return path + [root] }
                guard length < maximumIntermediates else { continue }
                left.removeAll { issuer in
                    guard issuer.subject == tip.issuer, hasSigned(issuer, tip) else { return false }
                    longer.append(path + [issuer])
                    return true
                }
            }
            if longer.isEmpty { return nil }
            paths = longer
        }
        return nil
    }

    private mutating func hasSigned(_ issuer: Certificate, _ certificate: Certificate) -> Bool {
        guard signatures < Self.maximumSignatures, ContinuousClock.now < deadline else { return false }
        signatures += 1
        return issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
    }
}
