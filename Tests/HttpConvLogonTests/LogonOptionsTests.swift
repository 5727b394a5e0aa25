import Foundation
import HttpConvLogon
import HttpConvVault
import MobileServices
import Testing

/// Each key of configuration files, and its default.
@Suite(.timeLimit(.minutes(1))) struct LogonOptionsTests {
    @Test func theUsualOptions() {
        let options = LogonOptions()
        #expect(options.afariaURLScheme.isEmpty)
        #expect(!options.usesAfaria)
        #expect(options.usesFlowMode)
        #expect(options.allowsAutomaticSecureStoreCreation)
        #expect(options.usesSplashScreen)
        #expect(options.hiddenRegistrationFields == [.communicatorID])
        let registration = options.registration
        #expect(registration.serverPortNonSecure == 8080)
        #expect(registration.serverPortSecure == 8081)
        #expect(registration.serverHost.isEmpty)
        #expect(registration.serverPort == nil)
        #expect(registration.isHTTPS)
        #expect(registration.serverDomain == "default")
        #expect(registration.farmID.isEmpty)
        #expect(registration.securityConfig.isEmpty)
        #expect(registration.gatewayClient.isEmpty)
        #expect(registration.gatewayPingPath == "sap/bc/ping")
        #expect(registration.resourcePath.isEmpty)
        #expect(registration.backendUserName.isEmpty)
        #expect(registration.passwordPolicy == PasswordPolicy())
        #expect(!registration.isGatewayOnly)
        #expect(options.authentication == RegistrationAuthentication())
    }

    /// Manager and screens each have a file.
    @Test func severalFilesAreOneSetOfOptions() throws {
        var options = try LogonOptions(file: Data(#"{"keyMAFUseAfaria": true}"#.utf8))
        try options.read(file: Data(#"{"keyMAFLogonUseSplashScreen": false}"#.utf8))
        #expect(options.usesAfaria && !options.usesSplashScreen)
        let before = options
        #expect(throws: LogonError.self) {
            try options.read(file: Data(#"{"keyMAFUseAfaria": false, "keyMAFNobody": true}"#.utf8))
        }
        #expect(options == before)
    }

    @Test(
        arguments: [(nil, true, 8081), (nil, false, 8080), (443, true, 443), (443, false, 443)] as [(Int?, Bool, Int)])
    func thePortThatIsUsed(port: Int?, isHTTPS: Bool, expected: Int) {
        var registration = RegistrationDefaults()
        registration.serverPort = port
        registration.isHTTPS = isHTTPS
        #expect(registration.port == expected)
    }

    /// Options in which each value differs from the default.
    private static var changed: LogonOptions {
        var options = LogonOptions()
        options.afariaURLScheme = "own-afaria"
        options.usesAfaria = true
        options.usesFlowMode = false
        options.allowsAutomaticSecureStoreCreation = false
        options.usesSplashScreen = false
        options.hiddenRegistrationFields = [.farmID, .isHTTPS]
        options.registration.serverPortNonSecure = 80
        options.registration.serverPortSecure = 443
        options.registration.serverHost = "mobile.example.com"
        options.registration.serverPort = 8443
        options.registration.isHTTPS = false
        options.registration.serverDomain = "other"
        options.registration.farmID = "farm1"
        options.registration.securityConfig = "ldap"
        options.registration.gatewayClient = "300"
        options.registration.gatewayPingPath = "sap/bc/other"
        options.registration.resourcePath = "proxy/path"
        options.registration.backendUserName = "alice"
        options.registration.isGatewayOnly = true
        options.registration.passwordPolicy.minimumLength = 12
        options.registration.passwordPolicy.requiresDigit = true
        options.authentication.types = ["saml2.web.redirect", "oauth2"]
        options.authentication.saml2FinishEndpoint = "/SAMLAuthLauncher"
        options.authentication.saml2FinishParameter = "finishEndpointParam"
        options.authentication.oauth2AuthorizationEndpoint = "https://a.example.com/authorize"
        options.authentication.oauth2TokenEndpoint = "https://a.example.com/token"
        options.authentication.oauth2ClientID = "native"
        options.authentication.oauth2Scopes = "read write"
        return options
    }

    private static let propertyList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
        <key>keyMAFUrlSchemeForAfaria</key><string>own-afaria</string>
        <key>keyMAFUseAfaria</key><true/>
        <key>keyMAFLogonUseFlowMode</key><false/>
        <key>keyMAFLogonAllowAutomaticSecureStoreCreation</key><string>NO</string>
        <key>keyMAFLogonUseSplashScreen</key><integer>0</integer>
        <key>keyMAFLogonOperationContextHideRegistrationFields</key><dict>
          <key>keyMAFLogonOperationContextCommunicatorId</key><false/>
          <key>keyMAFLogonOperationContextFarmId</key><true/>
          <key>keyMAFLogonOperationContextIsHttps</key><string>YES</string>
          <key>keyMAFLogonOperationContextServerHost</key><false/>
        </dict>
        <key>keyMAFLogonOperationContextDefaultValues</key><dict>
          <key>idMAFLogonOperationContextTypeRegister</key><dict>
            <key>keyMAFLogonOperationContextServerPortNonSecure</key><integer>80</integer>
            <key>keyMAFLogonOperationContextServerPortSecure</key><string>443</string>
            <key>keyMAFLogonOperationContextServerHost</key><string>mobile.example.com</string>
            <key>keyMAFLogonOperationContextServerPort</key><integer>8443</integer>
            <key>keyMAFLogonOperationContextIsHttps</key><false/>
            <key>keyMAFLogonOperationContextServerDomain</key><string>other</string>
            <key>keyMAFLogonOperationContextFarmId</key><string>farm1</string>
            <key>keyMAFLogonOperationContextSecurityConfig</key><string>ldap</string>
            <key>keyMAFLogonOperationContextGatewayClient</key><string>300</string>
            <key>keyMAFLogonOperationContextGatewayPingPath</key><string>sap/bc/other</string>
            <key>keyMAFLogonOperationContextResourcePath</key><string>proxy/path</string>
            <key>keyMAFLogonOperationContextBackendUserName</key><string>alice</string>
            <key>keyMAFLogonOperationContextCommunicatorId</key><true/>
            <key>keyMAFLogonOperationContextPasswordPolicy</key><dict>
              <key>PasswordPolicyMinLength</key><integer>12</integer>
              <key>DigitRequired</key><true/>
            </dict>
            <key>keyMAFLogonRegistrationContextConfig</key><dict>
              <key>keyMAFLogonRegistrationContextAuthType</key>
              <array><string>saml2.web.redirect</string><string>oauth2</string></array>
              <key>keyMAFLogonRegistrationContextAuthConfigs</key><array>
                <dict>
                  <key>saml2.web.redirect.finish.endpoint</key><string>/SAMLAuthLauncher</string>
                  <key>saml2.web.redirect.finish.endpoint.param</key><string>finishEndpointParam</string>
                </dict>
                <dict>
                  <key>oauth2.authorizationEndpoint</key><string>https://a.example.com/authorize</string>
                  <key>oauth2.tokenEndpoint</key><string>https://a.example.com/token</string>
                  <key>oauth2.clientID</key><string>native</string>
                  <key>oauth2.scopes</key><string>read write</string>
                </dict>
              </array>
            </dict>
          </dict>
        </dict>
        </dict></plist>
        """

    private static let json = """
        {"UrlSchemeForAfaria": "own-afaria", "UseAfaria": true, "UseFlowMode": false,
        "AllowAutomaticSecureStoreCreation": false, "UseSplashScreen": false,
        "HideRegistrationFields": {"CommunicatorId": false, "FarmId": true, "IsHttps": true},
        "DefaultValues": {"Register": {"ServerPortNonSecure": 80, "ServerPortSecure": 443,
        "ServerHost": "mobile.example.com", "ServerPort": "8443", "IsHttps": "NO", "ServerDomain": "other",
        "FarmId": "farm1", "SecurityConfig": "ldap", "GatewayClient": 300, "GatewayPingPath": "sap/bc/other",
        "ResourcePath": "proxy/path", "BackendUserName": "alice", "CommunicatorId": "YES",
        "PasswordPolicy": {"MinLength": "12", "DigitRequired": "YES"}}},
        "Config": {"AuthType": ["saml2.web.redirect", "oauth2"],
        "saml2.web.redirect.finish.endpoint": "/SAMLAuthLauncher",
        "saml2.web.redirect.finish.endpoint.param": "finishEndpointParam",
        "oauth2.authorizationEndpoint": "https://a.example.com/authorize",
        "oauth2.tokenEndpoint": "https://a.example.com/token", "oauth2.clientID": "native",
        "oauth2.scopes": "read write"}}
        """

    @Test(arguments: [propertyList, json]) func eachKeyOfAFile(text: String) throws {
        #expect(try LogonOptions(file: Data(text.utf8)) == Self.changed)
    }

    @Test func aBinaryPropertyList() throws {
        let object = ["keyMAFUseAfaria": true, "keyMAFLogonUseFlowMode": false]
        let data = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let options = try LogonOptions(file: data)
        #expect(options.usesAfaria)
        #expect(!options.usesFlowMode)
        #expect(options.usesSplashScreen)
    }

    /// Lists, a text that is not ASCII, one that is long, and numbers of several lengths.
    @Test func valuesOfABinaryPropertyList() throws {
        let long = String(repeating: "x", count: 300)
        let options = try LogonOptions(
            file: try Self.binary([
                "DefaultValues": [
                    "Register": [
                        "ServerHost": "bücher.example", "FarmId": long, "ServerPort": 443, "ServerPortSecure": 8,
                        "ServerPortNonSecure": 60_000,
                    ]
                ],
                "Config": ["AuthType": ["saml2.web.redirect", "oauth2"]],
            ]))
        #expect(options.registration.serverHost == "bücher.example")
        #expect(options.registration.farmID == long)
        #expect(options.registration.serverPort == 443)
        #expect(options.registration.serverPortSecure == 8)
        #expect(options.registration.serverPortNonSecure == 60_000)
        #expect(options.authentication.types == ["saml2.web.redirect", "oauth2"])
    }

    /// Fourteen lists of fourteen references to the next one, and a list that contains itself.
    @Test(arguments: [14, 1]) func aBinaryPropertyListThatNeverEnds(lists: Int) {
        var file = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for list in 0..<lists {
            offsets.append(UInt8(file.count))
            file += [0xAE] + [UInt8](repeating: UInt8(min(list + 1, lists - 1)), count: 14)
        }
        let table = UInt8(file.count)
        file += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(lists), 0, table] { file += [0, 0, 0, 0, 0, 0, 0, number] }
        let error = #expect(throws: LogonError.self) { try LogonOptions(file: Data(file)) }
        #expect(error?.code == .invalidParameter)
    }

    @Test func aBinaryPropertyListCutShort() throws {
        let file = try Self.binary(["UseAfaria": true, "UrlSchemeForAfaria": "a"])
        for count in 0..<file.count {
            let error = #expect(throws: LogonError.self) { try LogonOptions(file: file.prefix(count)) }
            #expect(error?.code == .invalidParameter)
        }
    }

    private static func binary(_ object: [String: Any]) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
    }

    @Test(arguments: ["{}", "<plist><dict/></plist>", #"{"DefaultValues": {"Register": {"ServerPort": ""}}}"#])
    func missingOptionsHaveDefaults(text: String) throws {
        #expect(try LogonOptions(file: Data(text.utf8)) == LogonOptions())
    }

    @Test(arguments: [
        ("", "property list"), ("{", "property list"), ("[]", "property list"),
        ("<plist><array/></plist>", "property list"), ("<plist/>", "property list"),
        ("<plist><dict><key>UseAfaria</key></dict></plist>", "property list"),
        ("<plist><dict><true/></dict></plist>", "property list"), ("<plist><dict/><dict/></plist>", "property list"),
        ("<plist><dict><key>UseAfaria</key><date>2026-01-01T00:00:00Z</date></dict></plist>", "property list"),
        ("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>", "property list"),
        (#"{"UseFlowmode": true}"#, "UseFlowmode"), (#"{"keyMAFLogonUseFlowMode": "maybe"}"#, "keyMAFLogonUseFlowMode"),
        (#"{"UseSplashScreen": 2}"#, "UseSplashScreen"), (#"{"HideRegistrationFields": []}"#, "HideRegistrationFields"),
        (#"{"HideRegistrationFields": {"Host": true}}"#, "Host"),
        (#"{"DefaultValues": {"Register": {"ServerPort": 0}}}"#, "ServerPort"),
        (#"{"DefaultValues": {"Register": {"ServerPort": 65536}}}"#, "ServerPort"),
        (#"{"DefaultValues": {"Register": {"ServerHost": {}}}}"#, "ServerHost"),
        (#"{"DefaultValues": {"Register": {"PasswordPolicy": {"MinLenght": 8}}}}"#, "MinLenght"),
        (#"{"DefaultValues": {"Register": {"PasswordPolicy": {"MinLength": "x"}}}}"#, "MinLength"),
        (#"{"Config": {"saml2.finish": "x"}}"#, "saml2.finish"), (#"{"Config": {"AuthType": [{}]}}"#, "AuthType"),
        (#"{"\u001b[31mred": 1}"#, "red"),
    ]) func whatCannotBeUsed(text: String, place: String) {
        let error = #expect(throws: LogonError.self) { try LogonOptions(file: Data(text.utf8)) }
        #expect(error?.code == .invalidParameter)
        #expect(error?.message.contains(place) == true)
        #expect(error?.message.contains("\u{1B}") == false)
    }

    /// Errors with a number of their own.
    @Test(
        arguments: [
            (#"{"DefaultValues": {"Unlock": {}}}"#, .invalidOperationContext, "Unlock"),
            (
                #"{"DefaultValues": {"idMAFLogonOperationContextTypeChangePasscode": {}}}"#, .invalidOperationContext,
                "Pass"
            ),
            (#"{"DefaultValues": {"Regster": {}}}"#, .invalidOperationCode, "Regster"),
            (#"{"DefaultValues": {"\u001b[31mred": {}}}"#, .invalidOperationCode, "red"),
            (
                #"{"DefaultValues": {"Register": {"CommunicatorId": "GATEWAY"}}}"#, .invalidCommunicatorID,
                "CommunicatorId"
            ),
            (#"{"DefaultValues": {"Register": {"CommunicatorId": []}}}"#, .invalidCommunicatorID, "CommunicatorId"),
        ] as [(String, LogonError.Code, String)])
    func aWrongOperationOrCommunicator(text: String, code: LogonError.Code, place: String) throws {
        var options = LogonOptions()
        let error = #expect(throws: LogonError.self) { try options.read(file: Data(text.utf8)) }
        #expect(error?.code == code)
        #expect(error?.message.contains(place) == true)
        #expect(error?.message.contains("\u{1B}") == false)
        #expect(options == LogonOptions())
    }

    @Test func aPolicyThatContradictsItself() {
        let text = #"{"DefaultValues": {"Register": {"PasswordPolicy": {"MinLength": 4, "MinUniqueChars": 300}}}}"#
        let error = #expect(throws: LogonError.self) { try LogonOptions(file: Data(text.utf8)) }
        #expect(error?.code == .invalidParameter)
        #expect((error?.underlyingError as? MobileServicesError)?.code == .contradictoryPolicy)
    }

    /// Deeply nested and very large files.
    @Test(arguments: [
        String(repeating: #"{"a":"#, count: 10_000),
        #"{"a":"# + String(repeating: "[", count: 400) + String(repeating: "]", count: 400) + "}",
        "{\"a\":\"" + String(repeating: "x", count: 2 << 20) + "\"}", String(repeating: "<dict>", count: 10_000),
        #"<plist version="1.0">"# + String(repeating: "<array>", count: 15_000)
            + String(repeating: "</array>", count: 15_000) + "</plist>",
        String(repeating: "(", count: 100_000),
        "<plist><array>" + String(repeating: "<true/>", count: 20_000) + "</array></plist>",
    ]) func tooMuch(text: String) {
        let error = #expect(throws: LogonError.self) { try LogonOptions(file: Data(text.utf8)) }
        #expect(error?.code == .invalidParameter)
    }
}
