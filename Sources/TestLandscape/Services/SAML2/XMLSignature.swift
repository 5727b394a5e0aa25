import Crypto
import CryptoExtras
import Foundation

/// Enveloped XML signatures (W3C xmldsig-core1) of elements in their exclusive canonical form.
///
/// Canonicalization is the identity here, because ``Markup`` writes only the canonical form. The tests check the output
/// with xmlsec1. As a verifier this is a test double that refuses every other document.
struct XMLSignature: Sendable {
    private static let canonicalization = "http://www.w3.org/2001/10/xml-exc-c14n#"
    private static let enveloped = Markup.signatureNamespace + "enveloped-signature"
    private static let rsaSHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
    private static let sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"

    private let key: _RSA.Signing.PrivateKey

    /// A new RSA key of 2048 bits.
    init() throws {
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    }

    var publicKeyPEM: String { key.publicKey.pemRepresentation }

    /// The `Signature` element for an element with that `ID`. The element is given without one.
    func signature(of element: String, id: String) throws -> String {
        let digest = Data(SHA256.hash(data: Array(element.utf8))).base64EncodedString()
        let reference = Markup.element(
            "ds:Reference", ["URI": "#\(id)"],
            Markup.element(
                "ds:Transforms", [:],
                Self.algorithm("ds:Transform", Self.enveloped)
                    + Self.algorithm("ds:Transform", Self.canonicalization))
                + Self.algorithm("ds:DigestMethod", Self.sha256) + Markup.element("ds:DigestValue", [:], digest))
        let info = Markup.element(
            "ds:SignedInfo", ["xmlns:ds": Markup.signatureNamespace],
            Self.algorithm("ds:CanonicalizationMethod", Self.canonicalization)
                + Self.algorithm("ds:SignatureMethod", Self.rsaSHA256) + reference)
        let value = try key.signature(for: Array(info.utf8), padding: .insecurePKCS1v1_5).rawRepresentation
        return Markup.element(
            "ds:Signature", ["xmlns:ds": Markup.signatureNamespace],
            info + Markup.element("ds:SignatureValue", [:], value.base64EncodedString()))
    }

    /// The reason why the element's signature is invalid; nil if it is valid.
    func fault(of element: MarkupElement, in document: [UInt8]) -> String? {
        guard let signature = element.only("Signature"), let info = signature.only("SignedInfo"),
            let reference = info.only("Reference"), let id = element.attributes["ID"]
        else { return "it is not signed" }
        guard reference.attributes["URI"] == "#\(id)" else { return "the signature is for something else" }
        guard info.at("SignatureMethod")?.attributes["Algorithm"] == Self.rsaSHA256,
            info.at("CanonicalizationMethod")?.attributes["Algorithm"] == Self.canonicalization,
            reference.at("DigestMethod")?.attributes["Algorithm"] == Self.sha256,
            reference.at("Transforms")?.children.map({ $0.attributes["Algorithm"] })
                == [Self.enveloped, Self.canonicalization]
        else { return "the signature uses other algorithms" }
        let (whole, cut) = (element.range, signature.range)
        let content = document[whole.lowerBound..<cut.lowerBound] + document[cut.upperBound..<whole.upperBound]
        guard Self.bytes(reference.only("DigestValue")) == Data(SHA256.hash(data: Array(content))) else {
            return "the digest is wrong"
        }
        guard let value = Self.bytes(signature.only("SignatureValue")),
            key.publicKey.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: value), for: Array(document[info.range]),
                padding: .insecurePKCS1v1_5)
        else { return "the signature is wrong" }
        return nil
    }

    private static func algorithm(_ name: String, _ uri: String) -> String {
        Markup.element(name, ["Algorithm": uri])
    }

    private static func bytes(_ element: MarkupElement?) -> Data? {
        element.flatMap { Data(base64Encoded: $0.text, options: .ignoreUnknownCharacters) }
    }
}
