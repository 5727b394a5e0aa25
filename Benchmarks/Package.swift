// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "HttpConversation", path: ".."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    ],
    targets: [
        .target(name: "BenchMain"),
        .executableTarget(
            name: "bench-server",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "bench-client",
            dependencies: [
                "BenchMain",
                .product(name: "HttpConversation", package: "HttpConversation"),
                .product(name: "HttpConvAuthFlows", package: "HttpConversation"),
                .product(name: "HttpConversationNIO", package: "HttpConversation"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "bench-tokens",
            dependencies: [
                "BenchMain",
                .product(name: "HttpConversation", package: "HttpConversation"),
                .product(name: "HttpConvAuthFlows", package: "HttpConversation"),
                .product(name: "HttpConvVault", package: "HttpConversation"),
                .product(name: "HttpConversationNIO", package: "HttpConversation"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "bench-recognition",
            dependencies: [
                "BenchMain",
                .product(name: "HttpConversation", package: "HttpConversation"),
                .product(name: "HttpConvAuthFlows", package: "HttpConversation"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "bench-growth",
            dependencies: [
                "BenchMain",
                .product(name: "HttpConversation", package: "HttpConversation"),
                .product(name: "HttpConversationNIO", package: "HttpConversation"),
                .product(name: "HttpConvAuthFlows", package: "HttpConversation"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "bench-odata",
            dependencies: [
                "BenchMain",
                .product(name: "HttpConversation", package: "HttpConversation"),
                .product(name: "ODataOnline", package: "HttpConversation"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
    ]
)
