import Crypto
import Foundation
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import HttpConvCertificates

/// A peer's certificates may lead to each other in every order: the search is bounded.
@Suite(.timeLimit(.minutes(1))) struct ChainSearchTests {
    private struct Party {
        let name: DistinguishedName
        let key: P256.Signing.PrivateKey
        let certificate: Certificate
    }

    private static func make(
        _ name: DistinguishedName, for key: Certificate.PublicKey, by issuer: DistinguishedName,
        _ signer: P256.Signing.PrivateKey, isAuthority: Bool = true, alternative: String? = nil
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key, notValidBefore: Date() - 3600,
            notValidAfter: Date() + 3600, issuer: issuer, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                if isAuthority {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    Critical(KeyUsage(keyCertSign: true))
                }
                if let alternative { SubjectAlternativeNames([.dnsName(alternative)]) }
            },
            issuerPrivateKey: .init(signer))
    }

    private static func authority(_ text: String, by issuer: Party? = nil) throws -> Party {
        let (name, key) = (try DistinguishedName { CommonName(text) }, P256.Signing.PrivateKey())
        return Party(
            name: name, key: key,
            certificate: try make(name, for: .init(key.publicKey), by: issuer?.name ?? name, issuer?.key ?? key))
    }

    private static func twins(_ count: Int) throws -> (Party, [Certificate]) {
        let one = try authority("twin")
        return (
            one,
            try (0..<count).map {
                try make(one.name, for: .init(one.key.publicKey), by: one.name, one.key, alternative: "\($0).example")
            }
        )
    }

    /// The leaf, then a row of authorities that issued each other, the root last.
    private static func row(of count: Int) throws -> [Party] {
        var row = [try authority("root")]
        for number in 0..<count { row.append(try authority("authority \(number)", by: row.last)) }
        return row.reversed()
    }

    @Test(arguments: [8, 20, 200]) func certificatesThatLeadEverywhere(count: Int) throws {
        let (twin, certificates) = try Self.twins(count)
        let leaf = try Self.make(
            try DistinguishedName { CommonName("leaf") }, for: .init(P256.Signing.PrivateKey().publicKey),
            by: twin.name,
            twin.key, isAuthority: false)
        let took = ThreadTime.measure {
            var search = ChainSearch(to: [], until: .now + .seconds(30))
            #expect(search.path(from: leaf, among: certificates) == nil)
        }
        #expect(took < .seconds(2))
        // The same certificates with a root: the search finds it.
        let root = try Self.make(twin.name, for: .init(twin.key.publicKey), by: twin.name, twin.key)
        var search = ChainSearch(to: [root], until: .now + .seconds(30))
        #expect(search.path(from: leaf, among: certificates) == [leaf, root])
    }

    @Test func aRowIsFoundInAnyOrder() throws {
        let row = try Self.row(of: 5).map(\.certificate)
        let root = try #require(row.last)
        for others in [Array(row.dropFirst()), row.dropFirst().reversed()] {
            var search = ChainSearch(to: [root], until: .now + .seconds(30))
            #expect(search.path(from: row[0], among: others) == row)
        }
    }

    @Test func depthCertificatesAndTimeAreBounded() throws {
        let row = try Self.row(of: 5).map(\.certificate)
        let root = try #require(row.last)
        var shallow = ChainSearch(to: [root], until: .now + .seconds(30), maximumIntermediates: 3)
        #expect(shallow.path(from: row[0], among: row) == nil)
        var late = ChainSearch(to: [root], until: .now - .seconds(1))
        #expect(late.path(from: row[0], among: row) == nil)
        let (_, strangers) = try Self.twins(ChainSearch.maximumCertificates)
        var crowded = ChainSearch(to: [root], until: .now + .seconds(30))
        #expect(crowded.path(from: row[0], among: strangers + row) == nil)
    }

    // MARK: Enrolment

    private static func pem(_ certificates: [Certificate]) throws -> [UInt8] {
        Array(try certificates.map { try $0.serializeAsPEM().pemString + "\n" }.joined().utf8)
    }

    @Test func anEnrolmentServersChainIsBoundedToo() async throws {
        let request = try CertificateRequest(commonName: "device")
        let (twin, certificates) = try Self.twins(7)
        let own = try Self.make(request.subject, for: request.publicKey, by: twin.name, twin.key, isAuthority: false)
        let answer = try Self.pem([own] + certificates)
        let strange = try Self.pem([try Self.authority("root").certificate])
        do {
            _ = try await request.identity(from: answer, authorities: strange, now: Date())
            Issue.record("nobody vouches for it")
        } catch { #expect(error.code == .wrongIssuer) }
        // The answer is accepted if its authority is trusted.
        _ = try await request.identity(from: answer, authorities: try Self.pem([twin.certificate]), now: Date())
    }

    @Test func anEnrolmentServersRowIsFollowed() async throws {
        let request = try CertificateRequest(commonName: "device")
        let row = try Self.row(of: 4)
        let own = try Self.make(
            request.subject, for: request.publicKey, by: row[0].name, row[0].key, isAuthority: false)
        let root = try #require(row.last)
        let answer = try Self.pem([own] + row.dropLast().map(\.certificate))
        _ = try await request.identity(from: answer, authorities: try Self.pem([root.certificate]), now: Date())
    }
}
