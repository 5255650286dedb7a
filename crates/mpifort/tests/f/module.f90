! With `use mpi`.
program module
  use mpi
  implicit none
  integer :: ierr, me, np, most, comm, row, window, disp, size, file, key, length
  integer :: dims(2), here(2), status(MPI_STATUS_SIZE)
  logical :: periods(2), flag
  integer(MPI_ADDRESS_KIND) :: bytes, target, bound
  integer(MPI_OFFSET_KIND) :: offset
  integer, allocatable :: local(:)
  real(8) :: grid(4, 3), column(3)
  character(len=MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, length, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
  call check(length == MPI_THREAD_MULTIPLE, 1)

  most = me + 1
  call MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  call check(most == np, 2)

  dims = 0
  call MPI_Dims_create(np, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., comm, ierr)
  call MPI_Cart_get(comm, 2, dims, periods, here, ierr)
  call check(periods(1) .and. .not. periods(2) .and. product(dims) == np, 3)
  call MPI_Comm_set_name(comm, 'a grid', ierr)
  call MPI_Comm_get_name(comm, name, length, ierr)
  call check(name == 'a grid' .and. length == 6, 4)
  call MPI_Comm_free(comm, ierr)
  call check(comm == MPI_COMM_NULL, 5)

  ! A row of a matrix is a vector of blocks: columns lie together.
  grid = reshape([(real(length, 8), length=1, 12)], [4, 3]) + 100 * me
  call MPI_Type_vector(3, 1, 4, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_commit(row, ierr)
  call MPI_Sendrecv(grid(2, 1), 1, row, mod(me + 1, np), 0, column, 3, MPI_DOUBLE_PRECISION, &
                    mod(me + np - 1, np), 0, MPI_COMM_WORLD, status, ierr)
  call check(all(column == [2, 6, 10] + 100 * mod(me + np - 1, np)), 6)
  call MPI_Type_get_extent(row, bound, bytes, ierr)
  call check(bytes == 8 * 9, 7)
  call MPI_Type_free(row, ierr)

  allocate (local(2))
  local = 0
  bytes = 8
  call MPI_Win_create(local, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  call MPI_Win_get_attr(window, MPI_WIN_SIZE, bound, flag, ierr)
  call check(flag .and. bound == 8, 8)
  call MPI_Win_fence(0, window, ierr)
  target = 1
  call MPI_Put(me, 1, MPI_INTEGER, mod(me + 1, np), target, 1, MPI_INTEGER, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  call check(local(2) == mod(me + np - 1, np) .and. local(1) == 0, 9)
  call MPI_Win_free(window, ierr)

  call MPI_File_open(MPI_COMM_WORLD, 'module.tmp', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), &
                     MPI_INFO_NULL, file, ierr)
  offset = 4 * me
  call MPI_File_write_at_all(file, offset, me, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_read_at_all(file, offset, disp, 1, MPI_INTEGER, status, ierr)
  call MPI_Get_count(status, MPI_INTEGER, length, ierr)
  call check(disp == me .and. length == 1, 10)
  call MPI_File_close(file, ierr)
  if (me == 0) call MPI_File_delete('module.tmp', MPI_INFO_NULL, ierr)

  call MPI_Sizeof(grid, size, ierr)
  call check(size == 8, 11)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, bytes, ierr)
  bytes = -7
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, bytes, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Comm_get_attr(comm, key, bound, flag, ierr)
  call check(flag .and. bound == -7, 12)
  call MPI_Comm_free(comm, ierr)
  call check(MPI_Aint_add(bytes, 8_MPI_ADDRESS_KIND) == 1, 13)

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (me == 0) print '(a,i0,a)', 'module: ', np, ' ranks: good'
  call MPI_Finalize(ierr)

contains

  subroutine check(good, where)
    logical, intent(in) :: good
    integer, intent(in) :: where
    if (good) return
    print *, 'module: not so: ', where
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
end program
