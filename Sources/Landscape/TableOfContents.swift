/// The printable overview of a landscape.
struct TableOfContents {
    static let groups: [any EndpointGroup] = [
        ResourceEndpoints(), EchoEndpoint(), CertificateEndpoint(), BasicEndpoints(), DigestEndpoints(),
        ChallengeEndpoint(), SignedEndpoint(), SessionEndpoints(), CookieEndpoints(), RedirectEndpoints(),
        UploadEndpoints(), CompressionEndpoints(), FaultEndpoints(),
        OAuthEndpoints(), BearerEndpoints(), SAMLEndpoints(), OTPEndpoints(), CSRFEndpoints(), MobileEndpoints(),
        EnrolmentEndpoints(), ODataEndpoints(), AdminEndpoints(),
    ]

    let world: World

    var text: String {
        [origins, users, clients, endpoints].joined(separator: "\n")
    }

    private var origins: String {
        let notes: [LandscapeOrigin: String] = [
            .expired: "certificate expired yesterday", .wrongName: "certificate for wrong.invalid",
            .raw: "scripted bytes", .mutual: "demands a client's certificate",
            .mutualOptional: "asks for a client's certificate", .multiplexed: "HTTP/2, with faults of its own",
            .proxy: "HTTP and SOCKS5 proxy, open unless /admin/proxy says otherwise",
            .secureProxy: "the same over TLS",
        ]
        let rows = LandscapeOrigin.allCases.map { origin in
            (origin.rawValue, world.addresses.base(of: origin) + (notes[origin].map { "   \($0)" } ?? ""))
        }
        return "Origins\n" + Self.table(rows)
    }

    private var users: String {
        let rows = world.users.all.map { user in
            let realms = user.realms.map { "   only in " + $0.sorted().joined(separator: ", ") } ?? ""
            let secret = user.totpSecret.map { "   TOTP \($0)" } ?? ""
            return (user.name, user.password + secret + realms)
        }
        return "Users\n" + Self.table(rows)
    }

    private var clients: String {
        let rows = world.oauth.clients.all.map { client in
            let grants = client.grants.map { String($0.rawValue.split(separator: ":").last ?? "") }
            let proof =
                client.secret ?? client.certificateName.map { "certificate for \($0)" }
                ?? (client.isPublic ? "public" : "assertions")
            return (client.id, proof + "   " + grants.sorted().joined(separator: ", "))
        }
        return "OAuth2 clients\n" + Self.table(rows)
    }

    private var endpoints: String {
        let faults = StreamFault.allCases.map { ("/fault/\($0.rawValue)", "\($0.text) (multiplexed)") }
        return "Endpoints\n" + Self.table(Self.groups.flatMap(\.entries).map { ($0.path, $0.text) } + faults)
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0.0)" + String(repeating: " ", count: width - $0.0.count + 2) + "\($0.1)\n" }.joined()
    }
}
