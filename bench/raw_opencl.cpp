/// OpenCL by hand.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "raw.hpp"

#include <gemel/interop/opencl.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace bench {
namespace {

void check(cl_int status, const char* call) {
    if (status) throw std::runtime_error(std::string(call) + " gave " + std::to_string(status));
}

class RawOpenCl final : public Raw {
   public:
    explicit RawOpenCl(const gemel::Context& context) : context_(gemel::opencl::native(context)) {
        check(clGetContextInfo(context_, CL_CONTEXT_DEVICES, sizeof device_, &device_, nullptr), "clGetContextInfo");
        cl_int status = 0;
        queue_ = clCreateCommandQueue(context_, device_, 0, &status);
        check(status, "clCreateCommandQueue");
    }
    void use(const gemel::Kernel& kernel) override {
        // A kernel object of its own: gemel's holds gemel's arguments.
        const auto theirs = reinterpret_cast<cl_kernel>(kernel.native_handle());
        cl_program program = nullptr;
        check(clGetKernelInfo(theirs, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr), "clGetKernelInfo");
        cl_int status = 0;
        std::size_t size = 0;  // the driver's name, which differs where OpenCL C has a function of that name
        check(clGetKernelInfo(theirs, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &size), "clGetKernelInfo");
        std::string name(size, ' ');
        check(clGetKernelInfo(theirs, CL_KERNEL_FUNCTION_NAME, size, name.data(), nullptr), "clGetKernelInfo");
        kernel_ = clCreateKernel(program, name.c_str(), &status);
        check(status, "clCreateKernel");
    }
    void launch(unsigned grid, unsigned block, const gemel::Buffer* to, const gemel::Buffer* from, float factor,
                int count) override {
        if (to) {
            const auto to_handle = reinterpret_cast<cl_mem>(to->native_handle());
            const auto from_handle = reinterpret_cast<cl_mem>(from->native_handle());
            check(clSetKernelArg(kernel_, 0, sizeof to_handle, &to_handle), "clSetKernelArg");
            check(clSetKernelArg(kernel_, 1, sizeof from_handle, &from_handle), "clSetKernelArg");
            check(clSetKernelArg(kernel_, 2, sizeof factor, &factor), "clSetKernelArg");
            check(clSetKernelArg(kernel_, 3, sizeof count, &count), "clSetKernelArg");
        }
        launch_again(grid, block);
    }
    void launch_again(unsigned grid, unsigned block) override {
        const std::size_t global = std::size_t{grid} * block, local = block;
        check(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &global, &local, 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
    }
    void synchronize() override { check(clFinish(queue_), "clFinish"); }
    bool make_graph(const std::function<void()>&) override { return false; }
    void launch_graph() override {}

    void upload(const gemel::Buffer& to, const void* host, std::size_t bytes, bool) override {
        check(clEnqueueWriteBuffer(queue_, reinterpret_cast<cl_mem>(to.native_handle()), CL_TRUE, 0, bytes, host, 0,
                                   nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
    void download(void* host, const gemel::Buffer& from, std::size_t bytes, bool) override {
        check(clEnqueueReadBuffer(queue_, reinterpret_cast<cl_mem>(from.native_handle()), CL_TRUE, 0, bytes, host, 0,
                                  nullptr, nullptr),
              "clEnqueueReadBuffer");
    }
    void copy(const gemel::Buffer& to, const gemel::Buffer& from, std::size_t bytes) override {
        check(clEnqueueCopyBuffer(queue_, reinterpret_cast<cl_mem>(from.native_handle()),
                                  reinterpret_cast<cl_mem>(to.native_handle()), 0, 0, bytes, 0, nullptr, nullptr),
              "clEnqueueCopyBuffer");
        synchronize();
    }
    bool copy_to_peer(const gemel::Buffer&, const gemel::Buffer&, std::size_t) override { return false; }

    void allocate_and_free(std::size_t bytes) override {
        cl_int status = 0;
        const cl_mem memory = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &status);
        check(status, "clCreateBuffer");
        check(clReleaseMemObject(memory), "clReleaseMemObject");
    }
    bool allocate_and_free_pooled(std::size_t) override { return false; }

    void compile(const std::string& text, const std::string& kernel) override {
        const char* source = text.c_str();
        cl_int status = 0;
        const cl_program program = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
        check(status, "clCreateProgramWithSource");
        build_and_fetch(program, kernel);
        std::size_t size = 0;
        check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), "clGetProgramInfo");
        binary_.resize(size);
        unsigned char* bytes = reinterpret_cast<unsigned char*>(binary_.data());
        check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr), "clGetProgramInfo");
        clReleaseProgram(program);
    }
    void load(const std::string& kernel) override {
        const std::size_t size = binary_.size();
        const auto* bytes = reinterpret_cast<const unsigned char*>(binary_.data());
        cl_int status = 0, of_binary = 0;
        const cl_program program = clCreateProgramWithBinary(context_, 1, &device_, &size, &bytes, &of_binary, &status);
        check(status, "clCreateProgramWithBinary");
        build_and_fetch(program, kernel);
        clReleaseProgram(program);
    }
    void set_binary(const std::vector<std::byte>& binary) override { binary_ = binary; }
    std::vector<std::byte> binary() const override { return binary_; }

   private:
    void build_and_fetch(cl_program program, const std::string& kernel) {
        check(clBuildProgram(program, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
        cl_int status = 0;
        const cl_kernel fetched = clCreateKernel(program, kernel.c_str(), &status);
        check(status, "clCreateKernel");
        clReleaseKernel(fetched);
    }

    cl_context context_ = nullptr;
    cl_device_id device_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_kernel kernel_ = nullptr;
    std::vector<std::byte> binary_;
};

}  // namespace

std::unique_ptr<Raw> make_raw_opencl(const gemel::Context& context) { return std::make_unique<RawOpenCl>(context); }

}  // namespace bench
