#include "sparse_peers.hpp"

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace bench {
namespace {

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    std::exit(1);
}
void check(cusparseStatus_t status) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    std::fprintf(stderr, "cuSPARSE: %s\n", cusparseGetErrorString(status));
    std::exit(1);
}
void check(cublasStatus_t status) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    std::fprintf(stderr, "cuBLAS: %s\n", cublasGetStatusString(status));
    std::exit(1);
}

/// Device memory that grows and is kept.
class Memory {
   public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { cudaFree(address_); }
    void* of(std::size_t bytes) {
        if (bytes > bytes_ || !address_) {
            cudaFree(address_);
            check(cudaMalloc(&address_, bytes > 0 ? bytes : 1));
            bytes_ = bytes;
        }
        return address_;
    }

   private:
    void* address_ = nullptr;
    std::size_t bytes_ = 0;
};

cublasStatus_t dot(cublasHandle_t h, int n, const float* x, const float* y, float* r) {
    return cublasSdot(h, n, x, 1, y, 1, r);
}
cublasStatus_t dot(cublasHandle_t h, int n, const double* x, const double* y, double* r) {
    return cublasDdot(h, n, x, 1, y, 1, r);
}
cublasStatus_t axpy(cublasHandle_t h, int n, const float* a, const float* x, float* y) {
    return cublasSaxpy(h, n, a, x, 1, y, 1);
}
cublasStatus_t axpy(cublasHandle_t h, int n, const double* a, const double* x, double* y) {
    return cublasDaxpy(h, n, a, x, 1, y, 1);
}
cublasStatus_t scal(cublasHandle_t h, int n, const float* a, float* x) { return cublasSscal(h, n, a, x, 1); }
cublasStatus_t scal(cublasHandle_t h, int n, const double* a, double* x) { return cublasDscal(h, n, a, x, 1); }

/// What an iteration keeps on the device.
template <class T>
struct Scalars {
    T one, rho, next_rho, curvature, alpha, minus_alpha, beta;
};
template <class T>
__global__ void find_alpha(Scalars<T>* s) {
    s->alpha = s->rho / s->curvature;
    s->minus_alpha = -s->alpha;
}
template <class T>
__global__ void find_beta(Scalars<T>* s) {
    s->beta = s->next_rho / s->rho;
    s->rho = s->next_rho;
}

__global__ void count_up(int* places, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) places[i] = i;
}

/// Handles, made once for the process: that takes long. The stream is set for each peer.
cusparseHandle_t sparse_handle() {
    static cusparseHandle_t handle = [] {
        cusparseHandle_t made;
        check(cusparseCreate(&made));
        return made;
    }();
    return handle;
}
cublasHandle_t dense_handle() {
    static cublasHandle_t handle = [] {
        cublasHandle_t made;
        check(cublasCreate(&made));
        check(cublasSetPointerMode(made, CUBLAS_POINTER_MODE_DEVICE));
        return made;
    }();
    return handle;
}

template <class T>
class Peer final : public SparsePeer {
   public:
    Peer(const DeviceRows& matrix, cudaStream_t stream)
        : a_(matrix), stream_(stream), sparse_(sparse_handle()), dense_(dense_handle()) {
        check(cusparseSetStream(sparse_, stream_));
        check(cublasSetStream(dense_, stream_));
        for (cusparseSpMatDescr_t* rows : {&plain_, &analysed_}) *rows = describe(matrix);
        Scratch x(matrix.columns), y(matrix.rows);
        const auto bytes_for = [&](cusparseSpMatDescr_t rows) {
            std::size_t bytes = 0;
            check(cusparseSpMV_bufferSize(sparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, rows, x.vector, &zero_,
                                          y.vector, type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
            return bytes;
        };
        plain_scratch_.of(bytes_for(plain_));
        analysed_scratch_.of(bytes_for(analysed_));
        check(cusparseSpMV_preprocess(sparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, analysed_, x.vector, &zero_,
                                      y.vector, type, CUSPARSE_SPMV_ALG_DEFAULT, analysed_scratch_.of(0)));
        check(cudaStreamSynchronize(stream_));
    }
    ~Peer() override {
        cudaStreamSynchronize(stream_);
        cusparseDestroySpMat(plain_);
        cusparseDestroySpMat(analysed_);
        for (cusparseDnVecDescr_t vector : {x_, y_})
            if (vector) cusparseDestroyDnVec(vector);
        if (lap_) cudaGraphExecDestroy(lap_);
    }

    void multiply(const void* x, void* y, bool analysed) override {
        if (!x_) {
            check(cusparseCreateDnVec(&x_, a_.columns, const_cast<void*>(x), type));
            check(cusparseCreateDnVec(&y_, a_.rows, y, type));
        }
        check(cusparseDnVecSetValues(x_, const_cast<void*>(x)));
        check(cusparseDnVecSetValues(y_, y));
        check(cusparseSpMV(sparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, analysed ? analysed_ : plain_, x_, &zero_,
                           y_, type, CUSPARSE_SPMV_ALG_DEFAULT, (analysed ? analysed_scratch_ : plain_scratch_).of(0)));
    }

    void to_coo(void* row_numbers) override {
        check(cusparseXcsr2coo(sparse_, integers(a_.starts), entries(), rows(), static_cast<int*>(row_numbers),
                               CUSPARSE_INDEX_BASE_ZERO));
    }

    void transpose(void* starts, void* numbers, void* values) override {
        const auto call = [&](auto&& function, auto last) {
            return function(sparse_, rows(), static_cast<int>(a_.columns), entries(), a_.values, integers(a_.starts),
                            integers(a_.numbers), values, static_cast<int*>(starts), static_cast<int*>(numbers), type,
                            CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, last);
        };
        std::size_t bytes = 0;
        check(call(cusparseCsr2cscEx2_bufferSize, &bytes));
        check(call(cusparseCsr2cscEx2, scratch_.of(bytes)));
    }

    void from_triples(const void* row_numbers, const void* numbers, const void* values, void* starts,
                      void* sorted_numbers, void* sorted_values) override {
        const std::size_t index_bytes = sizeof(int) * static_cast<std::size_t>(a_.entries);
        int* const sorted_rows = static_cast<int*>(rows_scratch_.of(index_bytes));
        int* const order = static_cast<int*>(order_scratch_.of(index_bytes));
        int* const columns = static_cast<int*>(sorted_numbers);
        const int n = static_cast<int>(a_.columns);
        check(cudaMemcpyAsync(sorted_rows, row_numbers, index_bytes, cudaMemcpyDeviceToDevice, stream_));
        check(cudaMemcpyAsync(columns, numbers, index_bytes, cudaMemcpyDeviceToDevice, stream_));
        std::size_t bytes = 0;
        check(cusparseXcoosort_bufferSizeExt(sparse_, rows(), n, entries(), sorted_rows, columns, &bytes));
        count_up<<<(entries() + 255) / 256, 256, 0, stream_>>>(order, entries());
        check(cusparseXcoosortByRow(sparse_, rows(), n, entries(), sorted_rows, columns, order, scratch_.of(bytes)));
        cusparseDnVecDescr_t from;
        cusparseSpVecDescr_t to;
        check(cusparseCreateDnVec(&from, a_.entries, const_cast<void*>(values), type));
        check(cusparseCreateSpVec(&to, a_.entries, a_.entries, order, sorted_values, CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_BASE_ZERO, type));
        check(cusparseGather(sparse_, from, to));
        cusparseDestroyDnVec(from);
        cusparseDestroySpVec(to);
        check(cusparseXcoo2csr(sparse_, sorted_rows, entries(), rows(), static_cast<int*>(starts),
                               CUSPARSE_INDEX_BASE_ZERO));
    }

    std::int64_t times_itself() override {
        cusparseSpMatDescr_t c;
        cusparseSpGEMMDescr_t work;
        Memory starts, numbers, values, first, second;
        check(cusparseCreateCsr(&c, a_.rows, a_.columns, 0, starts.of(sizeof(int) * (rows() + 1u)), nullptr, nullptr,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
        check(cusparseSpGEMM_createDescr(&work));
        constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
        const auto estimate = [&](std::size_t* bytes, void* memory) {
            check(cusparseSpGEMM_workEstimation(sparse_, plain, plain, &one_, plain_, plain_, &zero_, c, type,
                                                CUSPARSE_SPGEMM_DEFAULT, work, bytes, memory));
        };
        const auto compute = [&](std::size_t* bytes, void* memory) {
            check(cusparseSpGEMM_compute(sparse_, plain, plain, &one_, plain_, plain_, &zero_, c, type,
                                         CUSPARSE_SPGEMM_DEFAULT, work, bytes, memory));
        };
        std::size_t bytes = 0;
        estimate(&bytes, nullptr);
        estimate(&bytes, first.of(bytes));
        bytes = 0;
        compute(&bytes, nullptr);
        compute(&bytes, second.of(bytes));
        std::int64_t own_rows = 0, own_columns = 0, count = 0;
        check(cusparseSpMatGetSize(c, &own_rows, &own_columns, &count));
        const auto all = static_cast<std::size_t>(count);
        check(cusparseCsrSetPointers(c, starts.of(0), numbers.of(sizeof(int) * all), values.of(sizeof(T) * all)));
        check(cusparseSpGEMM_copy(sparse_, plain, plain, &one_, plain_, plain_, &zero_, c, type,
                                  CUSPARSE_SPGEMM_DEFAULT, work));
        check(cudaStreamSynchronize(stream_));
        cusparseSpGEMM_destroyDescr(work);
        cusparseDestroySpMat(c);
        return count;
    }

    void conjugate_gradients(const void* b, void* x, int iterations, bool as_graph) override {
        const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(a_.rows);
        T* const p = static_cast<T*>(p_scratch_.of(bytes));
        T* const q = static_cast<T*>(q_scratch_.of(bytes));
        T* const r = static_cast<T*>(r_scratch_.of(bytes));
        auto* const s = static_cast<Scalars<T>*>(scalars_.of(sizeof(Scalars<T>)));
        const auto iterate = [&](int steps) {
            for (int k = 0; k < steps; ++k) step(static_cast<T*>(x), p, q, r, s);
        };
        constexpr int lap = 20;
        if (as_graph && (!lap_ || lap_x_ != x)) record(iterate, lap, x);
        const Scalars<T> first{T(1), T(0), T(0), T(0), T(0), T(0), T(0)};
        check(cudaMemcpyAsync(s, &first, sizeof first, cudaMemcpyHostToDevice, stream_));
        check(cudaMemsetAsync(x, 0, bytes, stream_));
        for (T* copy : {r, p}) check(cudaMemcpyAsync(copy, b, bytes, cudaMemcpyDeviceToDevice, stream_));
        check(dot(dense_, rows(), r, r, &s->rho));
        for (int k = 0; k < iterations; k += lap) {
            if (as_graph) {
                check(cudaGraphLaunch(lap_, stream_));
            } else {
                iterate(lap);
            }
            T rho = 0;  // the good user looks whether it is small enough
            check(cudaMemcpyAsync(&rho, &s->rho, sizeof rho, cudaMemcpyDeviceToHost, stream_));
            check(cudaStreamSynchronize(stream_));
        }
    }

   private:
    static constexpr cudaDataType type = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;

    /// A vector for what only looks at descriptors, and its memory.
    struct Scratch {
        explicit Scratch(std::int64_t n) {
            check(cusparseCreateDnVec(&vector, n, memory.of(sizeof(T) * static_cast<std::size_t>(n)), type));
        }
        ~Scratch() { cusparseDestroyDnVec(vector); }
        Memory memory;
        cusparseDnVecDescr_t vector = nullptr;
    };

    static cusparseSpMatDescr_t describe(const DeviceRows& a) {
        cusparseSpMatDescr_t made;
        check(cusparseCreateCsr(&made, a.rows, a.columns, a.entries, const_cast<void*>(a.starts),
                                const_cast<void*>(a.numbers), const_cast<void*>(a.values), CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
        return made;
    }
    static const int* integers(const void* array) { return static_cast<const int*>(array); }
    int rows() const { return static_cast<int>(a_.rows); }
    int entries() const { return static_cast<int>(a_.entries); }

    void step(T* x, T* p, T* q, T* r, Scalars<T>* s) {
        multiply(p, q, true);
        check(dot(dense_, rows(), p, q, &s->curvature));
        find_alpha<<<1, 1, 0, stream_>>>(s);
        check(axpy(dense_, rows(), &s->alpha, p, x));
        check(axpy(dense_, rows(), &s->minus_alpha, q, r));
        check(dot(dense_, rows(), r, r, &s->next_rho));
        find_beta<<<1, 1, 0, stream_>>>(s);
        check(scal(dense_, rows(), &s->beta, p));
        check(axpy(dense_, rows(), &s->one, r, p));
    }

    template <class Iterate>
    void record(const Iterate& iterate, int lap, const void* x) {
        iterate(1);  // of whatever is there: kernels are loaded and descriptors made before they are recorded
        if (lap_) check(cudaGraphExecDestroy(lap_));
        cudaGraph_t graph;
        check(cudaStreamSynchronize(stream_));
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        iterate(lap);
        check(cudaStreamEndCapture(stream_, &graph));
        check(cudaGraphInstantiate(&lap_, graph, 0));
        check(cudaGraphDestroy(graph));
        lap_x_ = x;
    }

    DeviceRows a_;
    cudaStream_t stream_;
    cusparseHandle_t sparse_;
    cublasHandle_t dense_;
    cusparseSpMatDescr_t plain_ = nullptr, analysed_ = nullptr;
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
    Memory plain_scratch_, analysed_scratch_, scratch_, rows_scratch_, order_scratch_;
    Memory p_scratch_, q_scratch_, r_scratch_, scalars_;
    cudaGraphExec_t lap_ = nullptr;
    const void* lap_x_ = nullptr;
    const T one_ = 1, zero_ = 0;
};

}  // namespace

std::unique_ptr<SparsePeer> make_sparse_peer(const DeviceRows& matrix, void* stream) {
    const auto s = static_cast<cudaStream_t>(stream);
    if (matrix.is_double) return std::make_unique<Peer<double>>(matrix, s);
    return std::make_unique<Peer<float>>(matrix, s);
}

}  // namespace bench
