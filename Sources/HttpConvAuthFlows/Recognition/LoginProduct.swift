import HTTPTypes
import HttpConvFormats
public import HttpConversation

/// The software that demands a login, by the paths and cookies that it is known for. A guess: use it for words and
/// proposals, never for a decision.
public struct LoginProduct: Hashable, Sendable, CustomStringConvertible {
    /// The name as its makers write it.
    public let description: String
    /// The path at which the service provider starts a login, up to the parameter for the URL to return to.
    private let startPath: String?

    private init(_ description: String, start: String? = nil) {
        self.description = description
        startPath = start
    }

    /// SAP's servers, which mark a demand by a header field.
    public static let sap = LoginProduct("SAP's SAML2 service provider")
    /// Apache's mod_auth_mellon.
    public static let mellon = LoginProduct("mod_auth_mellon", start: "/mellon/login?ReturnTo=")
    /// The Shibboleth service provider.
    public static let shibboleth = LoginProduct("Shibboleth", start: "/Shibboleth.sso/Login?target=")
    /// Apache's mod_auth_openidc.
    public static let openIDC = LoginProduct("mod_auth_openidc")
    /// oauth2-proxy.
    public static let oauth2Proxy = LoginProduct("oauth2-proxy", start: "/oauth2/start?rd=")
    /// Apache's mod_auth_cas, and Apereo CAS behind it.
    public static let cas = LoginProduct("CAS")
    /// Active Directory Federation Services.
    public static let adfs = LoginProduct("ADFS")
    /// SharePoint.
    public static let sharePoint = LoginProduct("SharePoint")
    /// Microsoft Entra ID.
    public static let entra = LoginProduct("Microsoft Entra ID")
    /// Keycloak.
    public static let keycloak = LoginProduct("Keycloak")
    /// SimpleSAMLphp.
    public static let simpleSAMLphp = LoginProduct("SimpleSAMLphp")
    /// WordPress.
    public static let wordPress = LoginProduct("WordPress")
    /// Django.
    public static let django = LoginProduct("Django")
    /// Spring Security.
    public static let spring = LoginProduct("Spring Security")
    /// Jenkins.
    public static let jenkins = LoginProduct("Jenkins")
    /// GitLab.
    public static let gitLab = LoginProduct("GitLab")
    /// Jupyter.
    public static let jupyter = LoginProduct("Jupyter")
    /// Authelia.
    public static let authelia = LoginProduct("Authelia")
    /// authentik.
    public static let authentik = LoginProduct("authentik")
    /// Cloudflare Access.
    public static let cloudflare = LoginProduct("Cloudflare Access")
    /// Pomerium.
    public static let pomerium = LoginProduct("Pomerium")
    /// An AWS Application Load Balancer.
    public static let awsLoadBalancer = LoginProduct("an AWS load balancer")

    /// The URL at which a login for a resource starts, in the product's usual configuration; nil if it has none that is
    /// better than the resource itself.
    public func start(for resource: TargetURL) -> TargetURL? {
        startPath.flatMap { path in
            try? resource.root.resolving(path + FormEncoding.encode(resource.absoluteString))
        }
    }

    /// The starts of the names of cookies, in lower case.
    private static let cookies: [(prefix: String, product: LoginProduct)] = [
        ("mellon-", mellon), ("_shibstate_", shibboleth), ("_shibsession_", shibboleth), ("_opensaml_req_", shibboleth),
        ("mod_auth_openidc_", openIDC), ("_oauth2_proxy", oauth2Proxy), ("mod_auth_cas", cas), ("tgc", cas),
        ("wordpress_", wordPress), ("_gitlab_session", gitLab), ("authelia_session", authelia),
        ("authentik_", authentik), ("cf_appsession", cloudflare), ("cf_authorization", cloudflare),
        ("_pomerium", pomerium), ("awsalbauthnonce", awsLoadBalancer), ("simplesaml", simpleSAMLphp),
        ("keycloak_", keycloak), ("kc_restart", keycloak), ("auth_session_id", keycloak), ("msisauth", adfs),
        ("msissaml", adfs), ("jsessionid.", jenkins), ("username-localhost", jupyter),
    ]
    /// Parts of paths of service providers and login pages.
    private static let paths: [(part: String, product: LoginProduct)] = [
        ("/mellon/", mellon), ("/Shibboleth.sso/", shibboleth), ("/oauth2/start", oauth2Proxy),
        ("/oauth2/sign_in", oauth2Proxy), ("/_layouts/15/Authenticate.aspx", sharePoint),
        ("/_layouts/15/start.aspx", sharePoint), ("/_forms/default.aspx", sharePoint), ("/wp-login.php", wordPress),
        ("/users/sign_in", gitLab), ("/cdn-cgi/access/", cloudflare), ("/.pomerium/", pomerium),
        ("/outpost.goauthentik.io/", authentik),
    ]
    /// Parts of paths of identity providers; a service provider that is known takes precedence.
    private static let providers: [(part: String, product: LoginProduct)] = [
        ("/adfs/", adfs), ("/protocol/openid-connect/auth", keycloak), ("/protocol/saml", keycloak),
        ("/saml2/idp/SSOService.php", simpleSAMLphp), ("/module.php/saml/idp/", simpleSAMLphp), ("/cas/login", cas),
    ]

    /// The product that a redirect shows: by the cookies that it sets, its source and its destination.
    init?(setBy head: HTTPResponse, from source: TargetURL, to destination: TargetURL) {
        guard
            let product = Self.product(setBy: head) ?? Self.product(at: source, in: Self.paths)
                ?? Self.product(at: destination, in: Self.paths) ?? Self.product(ofProvider: destination)
        else { return nil }
        self = product
    }

    /// The product that a page shows: by the cookies that it sets, its address and its fields.
    init?(setBy head: HTTPResponse, at target: TargetURL, fields: Set<String>) {
        let byField: [(String, LoginProduct)] = [
            ("csrfmiddlewaretoken", Self.django), ("j_username", Self.spring), ("_xsrf", Self.jupyter),
        ]
        guard
            let product = Self.product(setBy: head) ?? Self.product(at: target, in: Self.paths)
                ?? byField.first(where: { fields.contains($0.0) })?.1
        else { return nil }
        self = head.headerFields[Self.jenkinsField] == nil ? product : Self.jenkins
    }

    // swift-format-ignore: NeverForceUnwrap
    private static let jenkinsField = HTTPField.Name("X-Jenkins")!  // a literal token

    private static func product(setBy head: HTTPResponse) -> LoginProduct? {
        for field in head.headerFields[values: .setCookie].prefix(20) {
            let known = cookies.first { field.trimmingSpaces.starts(withASCIILetters: $0.prefix) }
            if let known { return known.product }
        }
        return nil
    }

    private static func product(
        at target: TargetURL, in table: [(part: String, product: LoginProduct)]
    ) -> LoginProduct? {
        table.first { target.path.contains(bytesOf: $0.part) }?.product
    }

    private static func product(ofProvider target: TargetURL) -> LoginProduct? {
        target.origin.host == "login.microsoftonline.com" ? entra : product(at: target, in: providers)
    }
}
