import HttpConvFormats
import HttpConversation

/// The query of a presigned URL, without the parameters that change with each signature.
///
/// It names the same resource whenever and by whomever it was signed. Parameters that are not known to belong to a
/// signature are kept: `?id=1` and `?id=2` may have the same validator, and are two resources.
enum SignedQuery {
    /// Parameters of Amazon S3 and compatible services, Google Cloud Storage, Alibaba and Tencent.
    private static let prefixes = ["x-amz-", "x-goog-", "x-oss-", "x-cos-", "q-sign-"]
    private static let names: Set<String> = [
        "signature", "sig", "hmac", "expires", "awsaccesskeyid", "googleaccessid", "ossaccesskeyid", "q-ak",
        "q-key-time",
        "q-header-list", "q-url-param-list", "q-signature", "hdnts", "hdnea", "__token__",
    ]
    /// Names that belong to a signature only together with another parameter: those of Azure, of CloudFront, and of
    /// servers that compare a digest with a time.
    private static let companions: [(name: String, names: Set<String>)] = [
        (
            "sig",
            [
                "sv", "st", "se", "sr", "sp", "ss", "srt", "sip", "spr", "sdd", "skoid", "sktid", "skt", "ske", "sks",
                "skv",
            ]
        ),
        ("signature", ["policy", "key-pair-id", "security-token"]), ("expires", ["token", "md5"]),
    ]

    /// The parameters that name the resource, in their order; nil if the query has no signature.
    static func resource(of query: Substring) -> String? {
        let parameters = query.split(ascii: "&", keepsEmpty: true)
        let present = Set(parameters.map(name))
        let signed = companions.filter { present.contains($0.name) }.reduce(into: names) { $0.formUnion($1.names) }
        let kept = parameters.filter { parameter in
            let name = name(of: parameter)
            return !signed.contains(name) && !prefixes.contains { name.starts(withBytesOf: $0) }
        }
        return kept.count == parameters.count ? nil : kept.joined(separator: "&")
    }

    private static func name(of parameter: Substring) -> String {
        String(parameter.prefix(upToASCII: "=")).asciiLowercased
    }
}
