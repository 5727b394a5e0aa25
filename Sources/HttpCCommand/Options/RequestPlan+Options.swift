import HttpC
import HttpCClient
import HttpCTerminal
import HttpConversationNIO

extension ConnectionSettings {
    /// Reads the options.
    ///
    /// - Throws: a usage failure for values that cannot be used
    init(_ server: ServerOptions, _ certificate: CertificateOptions) throws(CommandFailure) {
        self.init()
        isInsecure = server.insecure
        caCertificate = server.caCertificate
        caDirectory = server.caDirectory
        proxyCACertificate = server.proxyCACertificate
        do throws(ConversationError) {
            pins = try server.pinnedPublicKey.map { text throws(ConversationError) in try PublicKeyPinFilter(text) }
        } catch {
            throw CommandFailure(.usage, "--pinnedpubkey: \(error.message)")
        }
        connectTimeout = ServerOptions.duration(server.connectTimeout)
        silence = server.silence()
        newestVersion = server.newestVersion.version
        addressFamily = server.addressFamily?.family
        for text in server.resolved { try ResolveArgument(text).apply(to: &addresses) }
        unixSocket = server.unixSocket
        proxy = server.proxy
        proxyUser = server.proxyUser.map { UserArgument($0) }
        proxyBypass = server.proxyBypass
        self.certificate = certificate.file
        certificateOrigins = try certificate.origins()
    }
}

extension WebSettings {
    init(_ options: WebOptions) throws(CommandFailure) {
        self.init()
        kind = options.kind
        isHeadless = options.headless
        answers = try options.answerSources()
        answerOrigins = try options.origins()
    }
}

extension ClientPlan {
    /// The plan of a command about a profile.
    init(_ options: ProfileCommonOptions, profile: String?, _ web: WebOptions?) throws(CommandFailure) {
        self.init()
        connection = try ConnectionSettings(options.server, options.certificate)
        if let web { self.web = try WebSettings(web) }
        verbose = options.verbose
        userAgent = "httpc/\(HttpcMain.version)"
        self.profile = profile
        configuration = options.config
    }

    /// The plan of a command that sends requests.
    init(
        _ login: LoginOptions, _ certificate: CertificateOptions, _ web: WebOptions, _ server: ServerOptions,
        _ connection: ConnectionOptions?
    ) throws(CommandFailure) {
        self.init()
        netrc = try login.netrcLogins()
        self.connection = try ConnectionSettings(server, certificate)
        self.web = try WebSettings(web)
        profile = login.profile
        account = login.account
        configuration = login.config
        kerberos = try login.kerberos()
        // As with curl, -u : stands for the person of the tickets.
        user = kerberos.isForServers && login.user == ":" ? nil : login.user.map { UserArgument($0) }
        sendsBasic = login.sendsBasic
        answersDigestOnly = login.digestOnly
        allowsBasicAfterDigest = login.anyAuthentication
        trustsRedirects = login.trustsRedirects
        cookies = login.cookies
        cookieJar = login.cookieJar
        guard let connection else { return }
        followsRedirects = !connection.noLocation
        maximumRedirects = connection.maximumRedirects < 0 ? .max : connection.maximumRedirects
        decompresses = connection.compressed ?? true
        continueTimeout = connection.continueTimeout.map { .seconds($0) }
    }
}

extension RequestPlan {
    /// The plan of a command of OData. The store makes its requests.
    init(_ options: ODataConnectionOptions, _ url: String) throws(CommandFailure) {
        urls = [try URLArgument(url)]
        client = try ClientPlan(
            options.login, options.certificate, options.web, options.server, options.connection)
        try Self.requireOneReader(options.headers, options.login, others: 0)
        headers = try HeaderArgument.expanded(options.headers)
        hasPassword = SecretArguments.hasPassword(
            options.login, options.certificate, options.web, options.server, headers: options.headers)
        client.verbose = options.verbose
        try DistinctFiles.require(options.transcripts.named + [("-c", client.cookieJar)])
        try noteFields()
        payloads = [RequestPayload()]
        destinations = [.standardOutput()]
    }

    /// The plan of plain requests.
    init(_ command: RequestCommand) throws(CommandFailure) {
        try Self.requireOneReader(
            command.request.headers, command.login,
            others: command.body.standardInputReaders + (command.output.writeOut == "@-" ? 1 : 0))
        try take(command.output)
        headers = try HeaderArgument.expanded(command.request.headers)
        for text in command.urls { urls.append(try URLArgument(text)) }
        method = command.request.method
        userAgent = command.request.userAgent
        referer = command.request.referer
        try take(command.files, command.transfers)
        payloads = try command.body.payloads(count: urls.count)
        client = try ClientPlan(
            command.login, command.certificate, command.web, command.server, command.connection)
        client.connection.silence = command.server.silence(
            isStream: command.output.events || command.output.noBuffer)
        try noteFields()
        if command.connection.compressed == nil { try leaveCodings() }
        client.verbose = command.output.verbose
        client.acceptsLoginPages = command.output.acceptLoginPage
        client.maximumBodyBytes = command.files.maximumFileSize.flatMap { $0.bytes == 0 ? nil : $0.bytes }
        client.rateLimit = command.transfers.rateLimit.flatMap { $0.bytes == 0 ? nil : $0.bytes }
        let bodies = destinations.enumerated().map { index, destination in
            (index < command.files.outputs.count ? "-o" : "-O", destination.path)
        }
        try DistinctFiles.require(
            bodies + [("-D", headFile), ("-c", client.cookieJar)] + command.transcripts.named)
        hasPassword = SecretArguments.hasPassword(
            command.login, command.certificate, command.web, command.server, headers: command.request.headers)
    }

    /// Refuses a second reader of standard input: it would get nothing, and an empty body might replace a resource.
    private static func requireOneReader(_ headers: [String], _ login: LoginOptions, others: Int) throws(CommandFailure)
    {
        let readers = headers.count { $0 == "@-" } + login.cookies.count { $0 == "-" } + others
        guard readers > 1 else { return }
        throw CommandFailure(
            .usage, "Standard input can be read only once, and more than one option reads it: use files for the others."
        )
    }

    /// Notes the default fields that -H and -A remove, and warns of fields that are not sent.
    private mutating func noteFields() throws(CommandFailure) {
        if userAgent == "" { client.sendsUserAgent = false }
        for text in headers {
            switch try HeaderArgument(text) {
            case .remove(let name):
                if name == .accept { client.sendsAccept = false }
                if name == .userAgent { client.sendsUserAgent = false }
                if name == .acceptEncoding { client.decompresses = false }
            case .send(let field) where HeaderArgument.belongsToConnection(field.name):
                warnings.append(
                    "-H: \(field.name.rawName) is not sent, because httpc itself decides how a connection is used. Leave it out."
                )
            case .send, .host: break
            }
        }
    }

    /// As with curl, only --compressed unpacks what an Accept-Encoding of -H or the name of a packed file leads to.
    private mutating func leaveCodings() throws(CommandFailure) {
        keepsPackedFiles = true
        for text in headers {
            guard case .send(let field) = try HeaderArgument(text), field.name == .acceptEncoding else { continue }
            client.decompresses = false
        }
    }

    private mutating func take(_ files: FileOptions, _ transfers: TransferOptions) throws(CommandFailure) {
        destinations = try files.destinations(of: urls.map(\.target))
        warnings = files.warnings(count: urls.count)
        // On standard output a head comes before its body.
        let isOutput = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(files.headFile)
        headFile = isOutput ? "-" : files.headFile
        continuation = try files.continuation
        range = files.range
        isParallel = transfers.isParallel
        maximumParallel = transfers.maximumParallel
        retries = transfers.retries
        retryDelay = ServerOptions.duration(transfers.retryDelay)
        retryTime = ServerOptions.duration(transfers.retryTime)
    }

    private mutating func take(_ output: OutputOptions) throws(CommandFailure) {
        includesHead = output.include
        asksForHead = output.head
        printsEvents = output.events
        layout = output.noPretty || output.noBuffer || output.events ? nil : output.style(descriptor: 1)
        failsOnErrors = output.fail || output.failWithBody
        hidesErrors = output.fail
        writeOut = try output.writeOut.map { text throws(CommandFailure) in try WriteOut(text) }
    }
}
