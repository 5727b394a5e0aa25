import HttpConversation

/// The query of a URL that was signed for a short time (a presigned URL), without what is new in each one.
///
/// It names the same resource whoever signed it and when. Parameters that are not known to belong to a signature stay:
/// `?id=1` and `?id=2` may well have the same validator, and are two resources.
enum SignedQuery {
    /// Amazon S3 and what speaks its language, Google Cloud Storage, Alibaba, Tencent.
    private static let prefixes = ["x-amz-", "x-goog-", "x-oss-", "x-cos-", "q-sign-"]
    private static let names: Set<String> = [
        "signature", "sig", "hmac", "expires", "awsaccesskeyid", "googleaccessid", "ossaccesskeyid", "q-ak",
        "q-key-time",
        "q-header-list", "q-url-param-list", "q-signature", "hdnts", "hdnea", "__token__",
    ]
    /// Names that belong to a signature beside another one only: Azure's, CloudFront's, and those of servers that compare a
    /// digest with a time.
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

    /// The parameters that name the resource, as they stand in the query; nil where nothing in it is a signature's.
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
