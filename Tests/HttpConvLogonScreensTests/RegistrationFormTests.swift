import HttpConvLogon
import HttpConversation
import MobileServices
import Testing

@testable import HttpConvLogonScreens

/// The registration screen: its fields, their initial values, and the result of the input.
@Suite struct RegistrationFormTests {
    private static let shown: [RegistrationField] = [
        .serverHost, .isHTTPS, .serverPort, .resourcePath, .farmID, .serverDomain, .securityConfig, .gatewayClient,
        .gatewayPingPath, .backendUserName,
    ]

    typealias Reading = @Sendable (RegistrationDefaults) -> String

    private func form(_ change: (inout LogonOptions) -> Void = { _ in }) -> RegistrationForm {
        var options = LogonOptions()
        change(&options)
        return RegistrationForm(application: "com.example.sales", options)
    }

    private func names(_ screen: LogonScreen?) -> [LogonField.Name] { screen?.fields.map(\.id) ?? [] }

    @Test func theUsualFields() {
        #expect(names(form().screen()) == Self.shown.map { .registration($0) } + [.password])
        let screen = form().screen()
        #expect(screen?[.registration(.serverHost)]?.isRequired == true)
        #expect(screen?[.password]?.kind == .secret)
        #expect(screen?[.password]?.isRequired == false, "the server may ask in another way")
    }

    /// Each field that can be hidden, hidden; and the one that is hidden, shown.
    @Test(arguments: shown) func hidden(field: RegistrationField) {
        let form = form { $0.hiddenRegistrationFields.insert(field) }
        #expect(names(form.screen()) == Self.shown.filter { $0 != field }.map { .registration($0) } + [.password])
    }

    /// The fields of servers that cannot be found are not asked for, unless the person may choose the kind of server.
    @Test func fieldsWithoutEffect() {
        let gateway = form { $0.registration.isGatewayOnly = true }
        #expect(
            names(gateway.screen()) == [
                .registration(.serverHost), .registration(.isHTTPS), .registration(.serverPort),
                .registration(.gatewayClient), .registration(.gatewayPingPath), .registration(.backendUserName),
                .password,
            ])
        let server = form { $0.usesFlowMode = false }
        let gatewayFields: [RegistrationField] = [.gatewayClient, .gatewayPingPath]
        #expect(
            names(server.screen()) == Self.shown.filter { !gatewayFields.contains($0) }.map { .registration($0) }
                + [.password])
        let choice = form {
            $0.usesFlowMode = false
            $0.hiddenRegistrationFields = []
        }
        #expect(names(choice.screen()).count == Self.shown.count + 2)
    }

    @Test func gatewayOnlyCanBeShown() {
        var form = form { $0.hiddenRegistrationFields = [] }
        #expect(form.screen()?[.registration(.communicatorID)]?.value == LogonField.off)
        let entered = [LogonField.Name.registration(.communicatorID): LogonField.on, .registration(.serverHost): "g"]
        #expect(form.take(LogonScreenAnswer(.proceed, entered)) == nil)
        #expect(form.input.values.isGatewayOnly)
    }

    @Test func hiddenScreensAskNothing() {
        let form = form {
            $0.hiddenRegistrationFields = Set(RegistrationField.allCases)
            $0.authentication.types = ["saml2.web.redirect"]
        }
        #expect(form.screen() == nil)
    }

    @Test(
        arguments: [
            ([], true, false), (["saml2.web.redirect"], false, false), (["oauth2"], false, false),
            (["http.basic"], true, true), (["oauth2", "Basic"], true, true),
        ] as [([String], Bool, Bool)]) func passwords(types: [String], isAsked: Bool, isRequired: Bool)
    {
        let screen = form { $0.authentication.types = types }.screen()
        #expect((screen?[.password] != nil) == isAsked)
        #expect((screen?[.registration(.backendUserName)] != nil) == isAsked)
        #expect((screen?[.password]?.isRequired ?? false) == isRequired)
    }

    @Test(arguments: [false, true]) func certificates(areEnrolled: Bool) {
        var form = form { $0.usesAfaria = areEnrolled }
        #expect((form.screen()?[.enrolmentPassword] != nil) == areEnrolled)
        let answer = LogonScreenAnswer(.proceed, [.registration(.serverHost): "a", .enrolmentPassword: "one"])
        #expect(form.take(answer) == nil)
        #expect(form.input.enrolmentPassword?.value == "one")
    }

    /// Given values are shown, and used if they are left unchanged.
    @Test func preset() {
        var form = form { options in
            options.registration.serverHost = "mobile.example.com"
            options.registration.isHTTPS = false
            options.registration.farmID = "farm1"
            options.registration.gatewayClient = "300"
            options.registration.backendUserName = "alice"
        }
        let screen = form.screen()
        #expect(screen?[.registration(.serverHost)]?.value == "mobile.example.com")
        #expect(screen?[.registration(.isHTTPS)]?.value == LogonField.off)
        #expect(screen?[.registration(.serverPort)]?.value == "")
        #expect(screen?[.registration(.serverPort)]?.placeholder == "8080")
        #expect(screen?[.registration(.gatewayClient)]?.value == "300")
        #expect(form.take(LogonScreenAnswer(.proceed, [.password: "wonderland"])) == nil)
        #expect(form.input.values == form.options.registration)
        #expect(form.input.credentials?.username == "alice")
        form.forgetSecrets()
        #expect(form.input.credentials == nil)
    }

    @Test(
        arguments: [
            (.serverHost, " other.example.com ", \.serverHost, "other.example.com"), (.farmID, "f", \.farmID, "f"),
            (.serverDomain, "d", \.serverDomain, "d"), (.securityConfig, "s", \.securityConfig, "s"),
            (.gatewayClient, "1", \.gatewayClient, "1"), (.gatewayPingPath, "p", \.gatewayPingPath, "p"),
            (.resourcePath, "r", \.resourcePath, "r"), (.backendUserName, "b", \.backendUserName, "b"),
            (.serverPort, "444", \.portText, "444"), (.serverPort, "", \.portText, "8081"),
            (.isHTTPS, "NO", \.schemeText, "http"),
        ] as [(RegistrationField, String, Reading, String)])
    func entered(
        field: RegistrationField, text: String, read: Reading, value: String
    ) {
        var form = form { $0.registration.serverHost = "mobile.example.com" }
        #expect(form.take(LogonScreenAnswer(.proceed, [.registration(field): text])) == nil)
        #expect(read(form.input.values) == value)
    }

    @Test(
        arguments: [
            (.serverPort, "0", "Port"), (.serverPort, "65536", "Port"), (.serverPort, "8O8O", "Port"),
            (.isHTTPS, "perhaps", "https"), (.serverHost, "", "address"), (.serverHost, "https://a/b", "address"),
            (.serverHost, "a b", "address"),
        ] as [(RegistrationField, String, String)])
    func whatCannotBe(field: RegistrationField, text: String, named: String) {
        var form = form { $0.registration.serverHost = "mobile.example.com" }
        let problem = form.take(LogonScreenAnswer(.proceed, [.registration(field): text]))
        #expect(problem?.contains(named) == true)
        #expect(form.screen(problem: problem ?? "")?.problem == problem)
    }

    /// A hidden field keeps the application's value.
    @Test func hiddenFieldsCannotBeEntered() {
        var form = form {
            $0.registration.serverHost = "mobile.example.com"
            $0.hiddenRegistrationFields = [.serverHost, .communicatorID]
        }
        #expect(form.screen()?.message == "The server is https://mobile.example.com:8081.")
        #expect(form.take(LogonScreenAnswer(.proceed, [.registration(.serverHost): "evil.example"])) == nil)
        #expect(form.input.values.serverHost == "mobile.example.com")
    }
}

extension RegistrationDefaults {
    fileprivate var portText: String { String(port) }
    fileprivate var schemeText: String { isHTTPS ? "https" : "http" }
}
