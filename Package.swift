// swift-tools-version: 6.2
import PackageDescription

// In a clone everything is built. An application that depends on this package names the traits that it uses; what only
// other traits need is neither fetched nor built. SwiftPM reads the manifest of a dependency under `/` to resolve it,
// and in a folder `checkouts` to build it.
let folder = Context.packageDirectory.split(separator: "/")
let isDependency = folder.isEmpty || folder.dropLast().last == "checkouts"

let core: Target.Dependency = "HttpConversation"
let concurrency: Target.Dependency = "HttpConvConcurrency"
let formats: Target.Dependency = "HttpConvFormats"
let platform: Target.Dependency = "HttpConvPlatform"
let system: Target.Dependency = "HttpConvSystem"
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK: Target.Dependency = .product(name: "NIOHPACK", package: "swift-nio-http2")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let jwtKit: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let hummingbird: Target.Dependency = .product(
    name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Landscape"]))
let tracing: Target.Dependency = .product(
    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Telemetry"]))
let metrics: Target.Dependency = .product(
    name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Telemetry"]))
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")

// Off in a clone, too, where not everybody has libpq: without the trait its target is empty. The scripts and CI build
// with it, by scripts/support/traits.
let libpq: Target.Dependency = .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"]))

// The library, from the bottom up. A target may only depend on targets above it. The comment of each target is shown in
// the picture of CONTRIBUTING.md (scripts/check-docs --write).
let library: [Target] = [
    // libxml2 on Linux, where it is loaded when it is needed; Apple's SDKs have a module of their own, libxml2
    .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    // zlib, the system's
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // SQLite, the system's
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    // libpq, the system's; only with the trait PostgreSQL
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    // The functions of PKCS#11 modules: a header, nothing to link with
    .systemLibrary(name: "CPKCS11"),
    // The functions of GSSAPI: a header, nothing to link with
    .systemLibrary(name: "CGSSAPI"),
    // Foundation and the C library, as one import; no product
    .target(name: "HttpConvPlatform"),
    // Shared runs, broadcasts, deadlines, blocking work; no product
    .target(name: "HttpConvConcurrency", dependencies: [platform]),
    // Bytes, numbers, dates, JSON, XML and HTML out of peers' messages and files, within bounds; no product
    .target(
        name: "HttpConvFormats",
        dependencies: [platform, "CZlib", .target(name: "CLibXML2", condition: .when(platforms: [.linux]))],
        linkerSettings: [.linkedLibrary("xml2", .when(platforms: [.macOS, .iOS]))]),
    // System calls; other programs, started apart from this one; no product
    .target(name: "HttpConvSystem", dependencies: [platform]),
    // The engine and its contracts: no I/O, no NIO
    .target(name: "HttpConversation", dependencies: [platform, concurrency, formats, httpTypes, logging]),
    // Files as bodies, downloads into files, the public suffix list
    .target(name: "HttpConvFiles", dependencies: [platform, formats, core, concurrency, system, httpTypes, crypto]),
    // Transcripts as HAR 1.2 and as a page with a sequence diagram
    .target(name: "HttpConvTranscripts", dependencies: [platform, formats, core]),
    // Spans and metrics
    .target(name: "HttpConvTelemetry", dependencies: [core, httpTypes, tracing, metrics]),
    // Certificates and keys out of files; filters for servers' certificates
    .target(
        name: "HttpConvCertificates",
        dependencies: [
            platform, formats, core, concurrency, system, crypto, cryptoExtras, nioSSL, x509, asn1,
            .target(name: "CPKCS11", condition: .when(platforms: [.linux])),
        ]),
    // The transport on NIO: HTTP/1.1 and HTTP/2
    .target(
        name: "HttpConversationNIO",
        dependencies: [
            platform, core, concurrency, formats, "HttpConvCertificates", "CZlib", httpTypes, logging, nioCore,
            nioPosix,
            nioHTTP1, nioHTTP2, nioHPACK, nioSSL, x509,
        ]
    ),
    // The transport on Foundation's URL loading, for Apple's systems
    .target(
        name: "HttpConversationURLSession",
        dependencies: [
            formats, core, concurrency, system, "HttpConvFiles", httpTypes,
            .target(name: "HttpConvCertificates", condition: .when(platforms: [.macOS, .iOS])),
        ]),
    // The logins: Basic, Digest, Negotiate, OAuth2, SAML2, one-time codes, CSRF tokens
    .target(
        name: "HttpConvAuthFlows",
        dependencies: [
            platform, formats, core, concurrency, httpTypes, logging, crypto,
            cryptoExtras, jwtKit,
            .target(name: "CGSSAPI", condition: .when(platforms: [.linux])),
        ]),
    // How a person logs in: Chromium, terminal, system browser, prepared answers
    .target(
        name: "HttpConvWebStrategies",
        dependencies: [
            platform, formats, system, core, concurrency, "HttpConvAuthFlows", httpTypes, crypto, nioCore, nioPosix,
            nioHTTP1,
            .target(name: "HttpConvCertificates", condition: .when(platforms: [.macOS, .iOS])),
        ]),
    // Everything for an application: re-exports the parts and picks transport and web strategies
    .target(
        name: "HttpC",
        dependencies: [
            core, httpTypes, "HttpConvFiles", "HttpConvAuthFlows", "HttpConvCertificates", "HttpConvWebStrategies",
            .target(name: "HttpConversationNIO", condition: .when(platforms: [.linux])),
            .target(name: "HttpConversationURLSession", condition: .when(platforms: [.macOS, .iOS])),
        ]),
    // Encrypted records, leases between processes, and a vault that a passcode locks
    .target(
        name: "HttpConvVault", dependencies: [platform, formats, concurrency, system, "CSQLite", crypto, cryptoExtras]),
    // Registration with a mobile server; uses the core's public API and its package helpers for bytes
    .target(name: "MobileServices", dependencies: [platform, formats, core, "HttpConvVault", httpTypes]),
    // Stores of OData services; uses the core's public API only
    .target(name: "ODataOnline", dependencies: [platform, formats, core, httpTypes]),
    // A scripted transport, a clock, a recording observer, contexts for filters
    .target(name: "HttpConversationTesting", dependencies: [core, concurrency, httpTypes]),
    // The contract of transports as cases, with servers that speak byte by byte; no test framework, of HTTP only HPACK
    .target(
        name: "HttpConversationConformance",
        dependencies: [
            core, concurrency, "CZlib", httpTypes, crypto, nioCore, nioPosix, nioHPACK, nioSSL, x509, asn1,
        ]),
    // Scripted web logins; the promises of token storages as cases
    .target(name: "HttpConvAuthFlowsTesting", dependencies: [formats, core, "HttpConvAuthFlows"]),
    // Tokens and certificates in a vault
    .target(
        name: "HttpConvVaultStorage", dependencies: [platform, core, concurrency, "HttpConvAuthFlows", "HttpConvVault"]),
    // Tokens in a PostgreSQL database, for a fleet of machines; empty without the trait PostgreSQL
    .target(
        name: "HttpConvPostgresStorage",
        dependencies: [platform, formats, core, concurrency, system, "HttpConvAuthFlows", "HttpConvVault", libpq]),
    // Detection, enrolment and registration, and the manager that they configure; no screens
    .target(
        name: "HttpConvLogon",
        dependencies: [
            platform, core, concurrency, formats, "MobileServices", "HttpConvAuthFlows", "HttpConvCertificates",
            "HttpConvVault",
            "HttpConvVaultStorage", httpTypes, crypto,
        ]),
    // The screens of a logon, for any toolkit
    .target(
        name: "HttpConvLogonScreens",
        dependencies: [
            platform, formats, core, concurrency, "MobileServices", "HttpConvAuthFlows", "HttpConvVault",
            "HttpConvLogon",
        ]),
]

let landscape: [Target] = [
    // Test servers, which never import the library: a shared bug must not cancel out
    .target(
        name: "TestLandscape",
        dependencies: [
            hummingbird,
            .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Landscape"])),
            .product(name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["Landscape"])),
            httpTypes, logging, crypto, cryptoExtras, nioCore, nioPosix, nioHTTP1, nioHTTP2, nioHPACK, nioSSL, x509,
            asn1,
        ]
    )
]

// A target of the command may only depend on targets above it; none is a product of its own.
let command: [Target] = [
    // A text as a QR code; no product
    .target(name: "QRCodes"),
    // The Linux kernel's calls for keys: a header, nothing to link with
    .systemLibrary(name: "CKeyring"),
    // The terminal of httpc: prompts, messages, progress, the story of -v, output; no product
    .target(name: "HttpCTerminal", dependencies: [platform, formats, system, "HttpC"]),
    // The client of httpc: profiles, state, connections, logins, logon; knows no options; no product
    .target(
        name: "HttpCClient",
        dependencies: [
            platform, formats, system, "HttpC", "HttpConversationNIO", "HttpConvVault", "HttpConvVaultStorage",
            "HttpConvTranscripts", "HttpConvLogon", "HttpConvLogonScreens", "MobileServices", "QRCodes",
            "HttpCTerminal", crypto,
            .target(name: "CKeyring", condition: .when(platforms: [.linux])),
        ]
    ),
    // The relay of httpc: lends its logins to other programs; no product
    .target(
        name: "HttpCRelay",
        dependencies: [
            platform, formats, system, "HttpC", "HttpCTerminal", "HttpCClient", nioCore, nioPosix, nioHTTP1,
        ]
    ),
    // httpc demo and httpc landscape, which alone know the test servers; no product
    .target(
        name: "HttpCDemo",
        dependencies: [
            formats, system, "HttpC", "HttpConversationNIO", "HttpConvLogon", "ODataOnline", "TestLandscape",
            "HttpCTerminal",
        ]
    ),
    // The program httpc: grammar, commands, transfers, OData
    .executableTarget(
        name: "HttpCCommand",
        dependencies: [
            platform, formats, system, "HttpC", "HttpConversationNIO", "HttpConvVault", "HttpConvVaultStorage",
            "HttpConvLogon", "HttpConvLogonScreens", "MobileServices", "ODataOnline", "HttpCTerminal", "HttpCClient",
            "HttpCRelay", logging, nioCore,
            .target(name: "HttpCDemo", condition: .when(traits: ["Landscape"])),
            .target(name: "CKeyring", condition: .when(platforms: [.linux])),
            .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
        ]
    ),
]

let tests: [Target] = [
    .testTarget(name: "HttpConvFormatsTests", dependencies: [formats, "TestSupport"]),
    .target(name: "TestSupport", dependencies: [logging, nioCore, nioPosix], path: "Tests/TestSupport"),
    .target(name: "LandscapeSupport", dependencies: ["TestLandscape"], path: "Tests/LandscapeSupport"),
    .testTarget(
        name: "HttpConversationTests",
        dependencies: [
            formats, core, concurrency, "HttpConvFiles", "HttpConversationTesting", "TestSupport", httpTypes, logging,
        ]),
    .testTarget(
        name: "HttpConversationTestingTests", dependencies: [core, "HttpConversationTesting", httpTypes]),
    .testTarget(
        name: "HttpConvFilesTests",
        dependencies: [core, system, "HttpC", "HttpConvFiles", "HttpConversationTesting", httpTypes]),
    .testTarget(
        name: "HttpConvTranscriptsTests",
        dependencies: [
            core, formats, "HttpC", "HttpConvTranscripts", "HttpConversationNIO", "HttpConversationTesting",
            "LandscapeSupport",
            "TestSupport", httpTypes,
        ]),
    .testTarget(
        name: "HttpConvTelemetryTests",
        dependencies: [
            core, "HttpC", "HttpConvTelemetry", "HttpConversationNIO", "HttpConvAuthFlowsTesting", "LandscapeSupport",
            httpTypes,
            tracing,
            .product(
                name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Telemetry"])),
            .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Telemetry"])),
        ]),
    .testTarget(
        name: "HttpConvCertificatesTests",
        dependencies: ["HttpConvCertificates", core, "HttpConversationTesting", "TestSupport", crypto, x509, asn1]),
    .testTarget(
        name: "HttpConversationNIOTests",
        dependencies: [
            formats, "HttpConversationNIO", "CZlib", "HttpConvAuthFlows", "HttpConvCertificates",
            "HttpConversationConformance",
            "HttpConversationTesting", "TestLandscape", httpTypes, logging, crypto, x509, nioCore, nioEmbedded,
            nioPosix,
            nioHTTP1, nioSSL,
            "HttpConvAuthFlowsTesting", "HttpConvFiles", "TestSupport",
        ]
    ),
    .testTarget(
        name: "HttpConversationURLSessionTests",
        dependencies: [
            "HttpConversationURLSession", "HttpConvAuthFlows", "HttpConvFiles", "HttpConvWebStrategies",
            "HttpConversationTesting", "LandscapeSupport", core, httpTypes,
        ]),
    .testTarget(
        name: "HttpConversationConformanceTests",
        dependencies: [
            "ConformanceRun", core, "HttpConversationConformance", "HttpConversationNIO", "HttpConversationTesting",
            "TestSupport", httpTypes,
        ]),
    // The suite by itself: over one transport, all cases or some of them, such as one that may end its process.
    .executableTarget(
        name: "ConformanceRun",
        dependencies: [
            core, "HttpConversationConformance", "HttpConversationNIO", "HttpConversationTesting",
            "HttpConversationURLSession", "TestSupport", httpTypes, logging,
        ],
        path: "Tests/ConformanceRun"
    ),
    .testTarget(
        name: "HttpConvAuthFlowsTests",
        dependencies: [
            "HttpC", formats, "HttpConversationNIO", "HttpConversationTesting", concurrency,
            "LandscapeSupport", httpTypes, logging, crypto, cryptoExtras,
            "HttpConvAuthFlowsTesting", "HttpConvFiles", "TestSupport",
        ]
    ),
    .testTarget(
        name: "HttpConvWebStrategiesTests",
        dependencies: [
            formats, "HttpC", "HttpConvWebStrategies", "HttpConvAuthFlows", "HttpConversationConformance",
            "HttpConversationNIO",
            "HttpConversationTesting", "LandscapeSupport", "TestSupport", httpTypes, nioCore,
            nioPosix,
        ],
        exclude: ["WebKit/recordings.json", "WebKit/pages.json"]
    ),
    .testTarget(
        name: "MobileServicesTests",
        dependencies: [
            formats, "MobileServices", "HttpC", "HttpConvAuthFlows", "HttpConvCertificates", "HttpConvFiles",
            "HttpConvVault",
            "HttpConvWebStrategies", "HttpConversationNIO", "HttpConversationTesting", "TestLandscape", "TestSupport",
            core, httpTypes,
        ]),
    .testTarget(
        name: "HttpConvLogonTests",
        dependencies: [
            "HttpConvLogon", "MobileServices", "HttpC", "HttpConvAuthFlows", "HttpConvCertificates", "HttpConvFiles",
            "HttpConversationNIO", "HttpConversationTesting", "HttpConvAuthFlowsTesting", "HttpConvVault",
            "HttpConvVaultStorage", "TestLandscape", "TestSupport", core, concurrency, "HttpConvLogonScreens",
            httpTypes, crypto,
        ]),
    .testTarget(
        name: "HttpConvLogonScreensTests",
        dependencies: [
            core, "HttpConvLogon", "HttpConvLogonScreens", "HttpConvVault", "HttpConversationTesting", "MobileServices",
            httpTypes,
        ]),
    .testTarget(
        name: "ODataOnlineTests",
        dependencies: [
            formats, "ODataOnline", "HttpConvAuthFlows", "HttpConversationNIO",
            "HttpConversationTesting", "TestLandscape", "TestSupport", core, httpTypes,
        ]),
    .testTarget(name: "TestLandscapeTests", dependencies: ["TestSupport", "LandscapeSupport"]),
    .testTarget(
        name: "HttpCCommandTests",
        dependencies: [
            "TestSupport", system, "HttpConversationTesting", "HttpCTerminal", "HttpCClient", "HttpCDemo",
            "HttpCCommand", "HttpC",
            "HttpConversationNIO", "HttpConvVault", "HttpConvVaultStorage",
            "LandscapeSupport", "HttpConvLogon", "HttpConvLogonScreens", "MobileServices",
            "QRCodes", "ODataOnline",
            .target(name: "CKeyring", condition: .when(platforms: [.linux])),
        ]),
    .testTarget(
        name: "HttpCRelayTests",
        dependencies: [
            "TestSupport", system, "LandscapeSupport", "HttpConversationTesting", "HttpConversationConformance",
            "HttpC",
            "HttpConversationNIO", "HttpCTerminal", "HttpCClient", "HttpCRelay", "HttpCCommand", nioCore, nioEmbedded,
            nioHTTP1,
        ]),
    // The command is built with them, because they run it.
    .testTarget(
        name: "RealServerTests",
        dependencies: [
            "TestSupport", "LandscapeSupport", "HttpC", "HttpConversationNIO", "HttpConversationTesting",
            "HttpCCommand", "ODataOnline", logging,
        ],
        exclude: ["Fixtures"]
    ),
    // Each parser of what a peer says, as a function of bytes: run over its corpus as a test, and with libFuzzer by
    // scripts/fuzz.
    .testTarget(
        name: "FuzzingTests",
        dependencies: [
            core, formats, "HttpC", "HttpCTerminal", "HttpCClient", "HttpCRelay", "HttpCCommand", "HttpConvAuthFlows",
            "HttpConvCertificates",
            "HttpConvFiles",
            "HttpConvTranscripts", "HttpConvWebStrategies", "HttpConversationNIO", "HttpConversationTesting",
            "HttpConvLogon", "HttpConvVault",
            "MobileServices", "ODataOnline", "TestSupport", httpTypes, asn1, x509, nioCore, nioEmbedded, nioHTTP1,
        ],
        exclude: ["Corpora"]
    ),
    .testTarget(
        name: "HttpConvVaultTests",
        dependencies: ["HttpConvVault", "HttpConversationTesting", concurrency, crypto]),
    // One of many processes that share a vault.
    .executableTarget(
        name: "VaultWorker",
        dependencies: [
            core, "HttpConvAuthFlows", "HttpConvVaultStorage", "HttpConvPostgresStorage", "HttpConversationNIO",
            "HttpConvVault", httpTypes,
        ],
        path: "Tests/VaultWorker"
    ),
    // The requests whose instructions Benchmarks/all --tests counts, out of the benchmarks' sources.
    .executableTarget(
        name: "RequestWorker",
        dependencies: [
            core, "HttpConvAuthFlows", "HttpConversationNIO", "HttpConvVault", "HttpConvVaultStorage", httpTypes,
            crypto,
            nioCore, nioPosix, nioHTTP1, nioSSL,
        ],
        path: "Benchmarks/Sources",
        sources: [
            "BenchMain", "bench-client/BareClient.swift", "bench-client/Load.swift", "bench-client/LoopExecutor.swift",
            "bench-client/NIOSSLContext+Client.swift", "bench-client/OurClient.swift", "bench-requests",
            "bench-server/ServerHandler.swift", "bench-tokens/TokenRequests.swift",
            "bench-tokens/TokenStores.swift",
        ]
    ),
    .target(
        name: "WorkerSupport",
        dependencies: ["TestSupport", "TestLandscape", "VaultWorker", core, "HttpConversationNIO", httpTypes],
        path: "Tests/WorkerSupport"),
    .testTarget(
        name: "HttpConvVaultStorageTests",
        dependencies: [
            "TestSupport", "WorkerSupport", "VaultWorker", "HttpCCommand", core, "HttpConvAuthFlows",
            "HttpConvAuthFlowsTesting",
            "HttpConvVaultStorage", concurrency,
            "HttpConversationTesting", "HttpConversationNIO", "HttpConvVault", "TestLandscape", httpTypes,
        ]
    ),
    .testTarget(
        name: "HttpConvPostgresStorageTests",
        dependencies: [
            "TestSupport", "WorkerSupport", "VaultWorker", "HttpCCommand", core, "HttpConvAuthFlows",
            "HttpConvAuthFlowsTesting", "HttpConvPostgresStorage", "HttpConvVault", "HttpConversationTesting",
        ]),
]

// The API by its first programs: each is a folder of Examples and a line of scripts/examples, which runs it.
let extras: [String: [Target.Dependency]] = [
    "Fleet": ["HttpConvPostgresStorage", "HttpConvVault", hummingbird],
    "FilterTest": ["HttpConversationTesting"], "OwnScheme": [crypto],
    "SessionPerUser": [hummingbird],
]
let examples: [Target] = [
    "DownloadProgress", "FilterTest", "Fleet", "JSON", "OAuth2Code", "OwnFilter", "OwnScheme", "Password",
    "PasswordAhead",
    "SAML2Terminal", "SessionPerUser", "UploadProgress",
].map { name in
    .executableTarget(
        name: "\(name)Example", dependencies: ["HttpC"] + (extras[name] ?? []), path: "Examples/\(name)")
}

// Not MemberImportVisibility: on Linux several C modules declare `stat` and `timespec`, and which of them the compiler
// takes them from, and so wants imported, depends on the order in which it reads the files.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]
let targets = library + landscape + command + tests + examples
for target in targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}

let package = Package(
    name: "HttpConversation",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "HttpC", targets: ["HttpC"]),
        .library(name: "HttpConversation", targets: ["HttpConversation", "HttpConvFiles", "HttpConvTranscripts"]),
        .library(name: "HttpConvTelemetry", targets: ["HttpConvTelemetry"]),
        .library(name: "HttpConversationNIO", targets: ["HttpConversationNIO"]),
        .library(name: "HttpConversationURLSession", targets: ["HttpConversationURLSession"]),
        .library(name: "HttpConvCertificates", targets: ["HttpConvCertificates"]),
        .library(name: "HttpConvAuthFlows", targets: ["HttpConvAuthFlows"]),
        .library(name: "HttpConvWebStrategies", targets: ["HttpConvWebStrategies"]),
        .library(name: "MobileServices", targets: ["MobileServices"]),
        .library(name: "HttpConvLogon", targets: ["HttpConvLogon", "HttpConvLogonScreens"]),
        .library(name: "ODataOnline", targets: ["ODataOnline"]),
        .library(
            name: "HttpConversationTesting",
            targets: ["HttpConversationTesting", "HttpConvAuthFlowsTesting", "HttpConversationConformance"]),
        .library(name: "HttpConvVault", targets: ["HttpConvVault", "HttpConvVaultStorage"]),
        .library(name: "HttpConvPostgresStorage", targets: ["HttpConvPostgresStorage"]),
        .library(name: "TestLandscape", targets: ["TestLandscape"]),
        .executable(name: "httpc", targets: ["HttpCCommand"]),
    ],
    traits: [
        .trait(name: "Telemetry", description: "HttpConvTelemetry: spans and metrics"),
        .trait(name: "Landscape", description: "TestLandscape: servers for tests, by Hummingbird"),
        .trait(name: "Command", description: "The program httpc, by ArgumentParser"),
        .trait(name: "PostgreSQL", description: "HttpConvPostgresStorage: tokens in PostgreSQL, by libpq"),
        .default(enabledTraits: isDependency ? [] : ["Command", "Landscape", "Telemetry"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.19.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        // Both are Hummingbird's, too.
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    ],
    targets: targets
)
